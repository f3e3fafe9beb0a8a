"""The heart of annotation: task types, one file each. Knows neither Django nor the other hearts."""
