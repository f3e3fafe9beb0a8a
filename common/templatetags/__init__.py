"""What the templates of all apps can say: numbers, times, prose, pages."""
