"""The reader's pages: items, drafts, messages, preferences, and the reader's own page in a study."""
