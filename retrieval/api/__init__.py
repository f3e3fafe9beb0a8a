"""The doors for scripts to texts and jobs."""
