"""What measures of every kind stand upon: what a measure is, intervals, paired tests."""
