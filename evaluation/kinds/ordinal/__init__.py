"""Grades: answers on a scale whose steps have an order."""
