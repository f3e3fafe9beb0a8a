"""What is decided of a study while readers are in it: items that come later, and when it stops."""
