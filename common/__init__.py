"""What every app stands upon: errors, wording, roles, the base of the API, queries composed
once. Imports no app."""
