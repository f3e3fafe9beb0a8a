"""All definitions of agreement on the same answers, side by side."""
