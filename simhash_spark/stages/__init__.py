"""DataFrame in, DataFrame out: one module per arrow of the flow.

In flow order: ``documents``, ``fingerprints``, ``nodes``, ``samples``, ``blocks``, ``edges`` (or
``windows``, for a recall), ``pairs``, ``clusters``, ``survivors``; before them, where a profile
learns from a corpus, ``frequencies``, ``thresholds``, and ``statistics``, which is how both are
stored. What a stage computes is in ``core``.
"""
