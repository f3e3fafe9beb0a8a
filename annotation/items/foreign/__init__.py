"""Files of Label Studio and doccano → items of a choice or of spans. Every complaint names task or line.

Fields of what was annotated are those of an item file. Right is what says so: in Label Studio's JSON an
annotation that is marked as ground truth. Its JSON-MIN, and doccano's file, have no such mark, so their one
answer is taken for right; leave the field away where it is not.

What people answered there is not made into judgments: no order of options, guidelines or consent is known of
it, and nobody here gave it. A system's answers are read in by `import_answers`.
"""
