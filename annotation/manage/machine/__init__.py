"""Pages of a study's machine readers, for its researchers."""
