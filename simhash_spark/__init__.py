"""Exact near-duplicate removal for Spark with SimHash."""
