"""All pairs within a Hamming distance, exactly: bands, tables, groups, comparisons."""
