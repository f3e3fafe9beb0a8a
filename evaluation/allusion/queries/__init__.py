"""Queries from people: what readers of a span study marked becomes topics with judgments in a corpus.

A passage's wordings (`wordings`), the verses it points into (`citations`, `targets`), what was said of it
(`readings`), all of it together (`making`), and how it is stored (`storing`) and told (`sentences`)."""
