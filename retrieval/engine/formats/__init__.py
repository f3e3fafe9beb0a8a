"""From a file to paragraphs: plain text, HTML, EPUB, RTF, DOCX, TEI; others are refused by name."""
