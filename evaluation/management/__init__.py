"""Reports and pictures from the command line."""
