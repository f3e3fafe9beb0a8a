"""A database backend: PostgreSQL, asked as rarely and as cheaply as a reader's step allows."""
