"""Values beneath the wings of this app: lines, tables, readings, a report, and the wording of numbers."""
