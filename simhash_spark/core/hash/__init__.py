"""Features to hashes."""
