"""The planner: what a study of so many items and readers will show, what it takes, how many are needed."""
