"""Readers whom a recruiting service sends: how they arrive, and where they end."""
