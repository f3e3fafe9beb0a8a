"""What is typed about test collections."""
