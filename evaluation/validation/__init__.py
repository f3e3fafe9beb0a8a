"""What a validation sample says: estimates on all items, the anchoring meter, and a planner of both."""
