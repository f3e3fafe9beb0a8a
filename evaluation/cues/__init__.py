"""The cue audit of a study: what somebody who never reads would get right, before it opens and afterwards."""
