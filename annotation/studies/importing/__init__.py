"""Large files of items are imported in a job, which a page follows."""
