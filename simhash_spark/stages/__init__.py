"""The flow, one module per arrow; a stage takes and gives DataFrames.

``documents`` → ``fingerprints`` → ``nodes`` → ``bands`` → ``edges`` → ``clusters`` →
``survivors``, and ``pairs`` beside the last: what holds the clusters together.
"""
