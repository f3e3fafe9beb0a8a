"""The forms of the researcher's pages."""
