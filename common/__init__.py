"""What every app stands upon: errors, wording, dates, roles, the base of the API, queries composed
once. Imports no app."""
