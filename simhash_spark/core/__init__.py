"""Arrays in, arrays out: the mathematics of each step, without Spark.

Text to fingerprints: ``clean``, ``tokenize``, ``hash``, ``vote``, put together in ``fingerprints``
(and ``longtexts``). Fingerprints to clusters: ``words``, ``bands``, ``hamming``, ``pairs``,
``clusters``. ``utf8`` and ``scripts`` know text as bytes; ``worker`` holds what a worker process
keeps between tasks.
"""
