"""What LaTeX needs to know of a table: its letters as LaTeX sets them (`letters`), how wide words are
(`widths`), and how a table is laid out to fit a page (`layout`, `pages`)."""
