"""Jobs of every kind: the queue, one attempt at a job, the workers, and what pages say of a job."""
