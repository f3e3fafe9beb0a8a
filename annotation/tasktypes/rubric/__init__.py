"""Several questions about one text: the type, what a question is, and rubrics that are shipped."""
