"""Commands of this app: a study from a finished job to a file of judgments."""
