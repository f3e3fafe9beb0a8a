"""Machine readers: what models are told, what they reply, and the jobs in which they read."""
