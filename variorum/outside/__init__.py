"""What the site says to whoever operates it: whether it runs, whether it is ready, numbers, and its log."""
