"""The API's addresses, its schema, and the schema as a page."""
