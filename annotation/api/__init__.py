"""The API to studies, and to a reader's own items."""
