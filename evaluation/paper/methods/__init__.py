"""A methods paragraph of a study: what was done, in English and in German, and nothing that was not done."""
