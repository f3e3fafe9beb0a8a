"""Pictures as values (`marks`), and two that draw them: `page` places them on a page, without a script, and
`paper` gives them to matplotlib."""
