"""Several spans in one answer: a kind of data of its own beside single spans, whose figures it shares."""
