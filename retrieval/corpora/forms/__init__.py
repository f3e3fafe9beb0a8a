"""The forms on pages about test collections."""
