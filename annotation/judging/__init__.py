"""What a reader writes and sends: drafts, judgments, conflicts of two windows, messages."""
