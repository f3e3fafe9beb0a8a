"""Pictures of a report: where their marks stand, on the page and for print."""
