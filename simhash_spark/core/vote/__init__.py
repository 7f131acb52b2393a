"""Hashes and weights to the bits of a fingerprint."""
