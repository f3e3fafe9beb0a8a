"""Items of the span task from files: a tokeniser, JSONL lines, and verses with their references."""
