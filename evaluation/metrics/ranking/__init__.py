"""Measures of rankings.

One right passage a query: ``gold_ranks``. Judged by grades: ``order`` puts a run in order, ``graded`` lays
it beside the judgments, ``measures`` gives each topic its values, ``evaluated`` their means and intervals,
``compared`` the differences of runs; ``pools`` says what the judgments miss, and ``from_grades`` makes them
of what annotators said.
"""
