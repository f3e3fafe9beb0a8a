"""Tables and sentences as values (`table`), and one writer for each form that they take: plain text,
Markdown, CSV, JSON, LaTeX; HTML is the template tag ``{% table %}``."""
