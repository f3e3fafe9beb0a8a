"""E-mail to readers: its words, what is due to whom, sending it once, and stopping it with one click."""
