"""What tells an answer to somebody who does not read: its words, printed where readers see them."""
