"""Where rankers put the right passages: reports, comparisons, tuning."""
