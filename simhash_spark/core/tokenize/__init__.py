"""Clean text to features."""
