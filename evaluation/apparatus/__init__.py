"""An item's readings as a critical edition has them, and as TEI."""
