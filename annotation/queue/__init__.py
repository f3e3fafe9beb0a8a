"""Which item a reader gets, and what stands before it: consent, practice, check items."""
