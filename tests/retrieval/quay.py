"""A novel of a page and a critic of another, who quotes it twice."""

NOVEL = """CHAPTER I

The lamps along the quay went out one after the other, and nobody in the town remembered asking for it.
Mr. Tarn, who kept them, was found asleep behind the sail loft with his boots in his arms.

He said that the sea had told him to rest, and that he had never in his life refused a lady.
The magistrate, whose brother had drowned in the spring, did not laugh at this.

CHAPTER II

In the morning the boats came home without their nets, and the women counted the heads of the men twice.
Mrs. Tarn counted three times, because she had learned arithmetic from a careful aunt.
"""
LAMPS = (
    "The lamps along the quay went out one after the other, and nobody in the town remembered asking for it."
)
ESSAY = f"""The novel opens in the dark. Its author wastes no word on the weather. He simply writes: "{LAMPS}"
After this we are prepared for everything. The keeper is a comic figure at first.

His defence has been much discussed. It is delivered with a straight face: "He said that the sea had told
him to rest, and that he had never in his life refused a lady." The joke is at nobody's expense.

That he was "found asleep behind the sail loft" proves nothing. Another writer has it that "the mountains of
that country are higher than any that our fathers climbed in their long and honest lives," which is not from
this book.
"""
