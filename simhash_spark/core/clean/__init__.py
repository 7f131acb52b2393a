"""Raw text to clean text."""
