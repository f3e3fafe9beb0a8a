"""Which item a reader gets, how its page stands, and what comes before it: consent, practice, check items."""
