"""Choosing how to search, and what it will cost, from numbers and a sample."""
