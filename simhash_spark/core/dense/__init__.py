"""Crowded buckets: enough pairs to hold their clusters together, and the rest counted."""
