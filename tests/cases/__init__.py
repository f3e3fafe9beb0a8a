"""The cases of reliability and security: what each is, the table of `make cases`, and the long ones."""
