"""A bundle: one file with a study's data set and its report, signed, from which every number can be computed
again; and what checks it."""
