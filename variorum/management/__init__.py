"""The site from the command line."""
