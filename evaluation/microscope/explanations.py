"""Why definitions of agreement differ on the same answers: one or two sentences for each."""

from __future__ import annotations

DIFFERS: dict[str, str] = {
    "observed_agreement": "The agreement all others start from: nothing is taken off for chance.",
    "fleiss_kappa": "Chance follows the option numbers that readers used. After a shuffle these are used "
    "about equally, so it comes out next to Randolph’s; numbers that are roles make it collapse. RELiC’s .68 "
    "is this one by name and cannot be told from Randolph’s.",
    "generalised_fleiss_kappa": "The same for items with unequal numbers of answers; equal to Fleiss κ where "
    "every item has as many.",
    "randolph_kappa": "Chance is fixed at 1/q, whatever readers did. It cannot be moved by renumbering "
    "options, and is the one to report where an option’s number means nothing.",
    "krippendorff_alpha": "Like Fleiss κ, but two different answers are drawn without replacement: higher by "
    "a little, and by less the more answers there are.",
    "gwet_ac1": "Chance is largest when options are used evenly and small when one takes most answers: it "
    "stays high where the others fall because nearly everybody chose the same option.",
    "fleiss_kappa_by_role": "The same answers with gold as the first category. Most answers then fall into "
    "one, chance agreement rises, and κ collapses though nobody answered differently. Not to be reported: it "
    "shows why labels are part of the definition.",
    "fleiss_kappa_by_place": "The same answers by where the chosen passage stood on each reader’s screen. "
    "Where readers saw own orders two who agree stand at different places, and κ goes to 0. Not to be "
    "reported.",
    "observed_overlap": "The agreement all others start from: nothing is taken off for chance.",
    "identical_pairs": "Strict agreement: pairs that differ by one word count nothing.",
    "lcs_overlap_kappa": "The paper’s formula. Its O_e is taken from the very pairs that are judged, so it "
    "is no chance level: the value is −Cov(union, overlap) / mean disagreement, 0 whenever overlap does not "
    "depend on length, and undefined when all agree. A low value does not say that readers disagree.",
    "lcs_overlap_kappa_by_item": "The paper’s formula with every item counting the same instead of every "
    "pair; the same where all items have as many spans.",
    "span_alpha": "Chance is the overlap of two spans of any two items laid over each other at their "
    "anchors. It takes off what a shared anchor gives by itself: the value to report then.",
    "placement_kappa": "Chance puts both spans anywhere in the passage. Too friendly where an anchor holds "
    "them together; the value to report where there is none.",
    "token_alpha": "Counts tokens instead of spans: every token that nobody marked is an agreement, so long "
    "passages raise it. Compare it only between passages of the same length.",
}
