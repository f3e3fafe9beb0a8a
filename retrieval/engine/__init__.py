"""The library behind retrieval: texts, quotations, rankings, encoders, training. It knows no Django."""
