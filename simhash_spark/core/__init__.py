"""Arrays in, arrays out: the mathematics of each step, without Spark.

Text to fingerprints: ``clean``, ``tokenize``, ``hash``, ``vote``, put together in ``fingerprints``
(and ``longtexts``). Fingerprints to pairs: ``plan`` chooses how; ``join`` finds all pairs,
``dense`` sees to crowded buckets, ``windows`` finds most pairs at distances beyond. Pairs to
clusters: ``clusters``. ``utf8``, ``scripts`` and ``words`` know how text and numbers are stored;
``worker`` holds what a worker process keeps between tasks.
"""
