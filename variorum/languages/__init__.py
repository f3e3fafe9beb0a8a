"""In which language a page is shown: readers' pages in the reader's own, all others in English."""
