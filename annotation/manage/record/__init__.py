"""Pages of the record: of a study for those who direct it, of the whole site for its superusers."""
