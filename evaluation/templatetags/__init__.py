"""Tags for templates: the pages of a study."""
