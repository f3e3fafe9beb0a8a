"""What an installation keeps about words, by name, and how a ranking freezes which of it is used."""
