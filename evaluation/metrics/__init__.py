"""The heart of the evaluation: arrays in, named tuples out; numpy, no Django.

Start at ``table.tabulate`` (judgments → table) and ``registry.report`` (table → estimates with intervals);
for spans at ``spans.tabulate_spans`` and ``registry.span_report``, for grades at
``ordinal.table.tabulate_grades`` and ``ordinal.report.grade_report``.
"""
