"""Measures of grades: categories 0..q-1 with an order and a distance."""
