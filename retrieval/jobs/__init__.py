"""Jobs of any kind: the queue, one attempt, who works, and what a page says of it."""
