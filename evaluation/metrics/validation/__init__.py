"""A machine judged every item and people a random sample: what both together say, and what the machine did to
the people.

``prediction_powered`` joins the machine's answers on all items with those of the sample, for the estimands of
``estimands``; ``saved`` says what that is worth in judgments, ``weighted_kappa`` the agreement above chance.
``anchoring`` compares readers who saw the machine's answer with readers who did not, ``reveals`` counts what
they changed when they saw it, ``rankings`` what it does to the order of systems, and ``planner`` how many
items each of these needs.
"""
