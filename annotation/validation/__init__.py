"""Validation of machine judgments: a sample for people, in strata; some see the machine's answer."""
