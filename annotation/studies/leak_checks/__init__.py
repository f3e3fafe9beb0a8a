"""Large drafts are checked for printed answers in a job, whose findings are kept."""
