"""Arrays in, arrays out: the mathematics of each step, without Spark.

In flow order: ``text`` (with ``folding``, ``utf8``), ``segmentation``, ``features`` (with
``scripts``), ``hashing``, ``votes``, ``fingerprints`` (with ``longtexts``), ``words``, ``bands``,
``hamming``, ``pairs``, ``clusters``. ``worker`` holds what a worker process keeps between tasks.
"""
