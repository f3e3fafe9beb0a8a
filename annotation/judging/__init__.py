"""What a reader writes and sends: drafts, judgments, conflicts between two windows, messages."""
