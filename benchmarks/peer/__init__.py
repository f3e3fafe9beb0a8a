"""Another annotation site, whose readers do the same work in the same run."""
