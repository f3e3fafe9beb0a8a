"""Texts as the mean of the vectors of their pieces, as SIM has them (Wieting et al. 2019): no transformer."""
