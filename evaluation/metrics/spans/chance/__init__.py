"""Could spans that have nothing to do with their item overlap this much? Tests and exact moments."""
