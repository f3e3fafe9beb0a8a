"""A study's stopping rule: the looks it takes, what they saw, and what looking often costs."""
