"""The program that checks a bundle by itself: `variorum-verify FILE`, or `python -m variorum.verify FILE`."""
