"""Corpora and topics brought in: from files, or cut from the books and sources that are here."""
