"""What makes a study's items hard, and which wrong passages fooled people and machines."""
