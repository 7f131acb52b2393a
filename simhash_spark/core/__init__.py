"""Arrays in, arrays out: the mathematics of each step, without Spark.

In flow order: ``text`` (with ``cleaning``, ``folding``, ``scripts``, ``utf8``), ``segmentation``,
``features``, ``scoring``, ``hashes`` (with ``hashing``, ``serial``), ``weights``, ``votes``,
``fingerprints`` (with ``longtexts``), ``words``, ``bands``,
``hamming``, ``pairs``, ``clusters``. ``worker`` holds what a worker process keeps between tasks.
"""
