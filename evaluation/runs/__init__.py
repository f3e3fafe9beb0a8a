"""Runs evaluated on qrels: files read (`files`), numbers made (`report`), worded (`sentences`, `tables`) and
written in every format (`formats`). The command is `evaluate_runs`."""
