"""The pages of texts and jobs, by what they show."""
