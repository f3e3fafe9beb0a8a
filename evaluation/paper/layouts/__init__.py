"""Tables and figures of published papers as layouts that a study fills, a file each."""
