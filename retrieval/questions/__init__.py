"""Questions with targets: written from citations by a model, checked, edited by people, made topics."""
