"""Weights as others published them, made into a checkpoint's folder: read as tensors, never as code."""
