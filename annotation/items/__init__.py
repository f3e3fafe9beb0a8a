"""Items: made of candidates or files, checked, kept in canonical order, taken out where they are wanting."""
