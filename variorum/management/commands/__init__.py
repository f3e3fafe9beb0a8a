"""The commands that start the site, look it over, and let people in."""
