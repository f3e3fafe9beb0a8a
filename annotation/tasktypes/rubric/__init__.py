"""The task of several questions about one text: the type, its questions, and rubrics that are shipped."""
