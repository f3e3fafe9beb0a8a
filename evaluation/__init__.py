"""Numbers: from what readers answered, and from what rankers found, to reports."""
