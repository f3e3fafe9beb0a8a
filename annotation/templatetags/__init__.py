"""What the templates of studies can say."""
