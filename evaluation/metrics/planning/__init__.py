"""What a study will be able to say, before anybody reads: widths of intervals, power and items needed."""
