"""Adjudication: what adjudicators decide of items on which readers differ. Agreement never looks at it."""
