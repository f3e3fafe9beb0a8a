"""Machines that read beside people: how alike their answers are to people's, and what habits they have.

``likeness`` has the means over items with their intervals and the paired tests, ``habits`` what a machine
says when it is asked again, in another order of the options, and where the words of the query stand in the
text. Nothing here enters a number on people.
"""
