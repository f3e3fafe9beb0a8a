"""Large drafts are looked through for printed answers in a job, whose findings are kept."""
