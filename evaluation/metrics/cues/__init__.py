"""What shows without reading: how often those are right who see only the surface of the options."""
