"""Runs and pools put into a better order by a model, and what that model knows by heart."""
