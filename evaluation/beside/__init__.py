"""Machine readers beside a study's people: read, computed, and laid out as tables, sentences and rows."""
