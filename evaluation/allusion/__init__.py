"""The allusion workshop: queries from what readers of a span study marked, and how well lexical, semantic and
hybrid rankers find with them what is alluded to.

Queries are made in `queries`. Runs are recognised by ranker and parameters (`systems`) and measured
(`measuring`), laid out as the paper's tables (`tables`) beside its values (`published`), and written
(`formats`); what is missing is made by `missing`."""
