"""Items of the span task from verses and the references between them."""
