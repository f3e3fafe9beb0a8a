"""References between verses, made into span items: the table of verses, the anchors, the records."""
