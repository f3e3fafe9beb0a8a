"""What bounds calls, over all workers: a budget, a pace, a circuit, and the clock by which they are kept."""
