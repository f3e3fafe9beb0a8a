"""Files that test collections are exchanged in: JSONL, BEIR folders, TREC documents, topics, qrels and runs.

Every reader takes lines one by one, so that a file of any size fits, and says of what is wrong in which
file and on which line it stands.
"""
