"""Pages about test collections, for scholars."""
