"""Tables that were read → the rows of a study, in an order in which each finds what it names."""
