"""Most pairs at large distances: sorted by many orders of bits, neighbours compared."""
