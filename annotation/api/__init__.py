"""The doors for scripts to studies and to a reader's own items."""
