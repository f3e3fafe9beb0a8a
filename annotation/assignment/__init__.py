"""Which item a reader gets, and what comes before it: consent, practice, check items."""
