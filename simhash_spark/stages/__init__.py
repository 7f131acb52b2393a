"""DataFrame in, DataFrame out: one module per arrow of the flow.

In flow order: ``documents``, ``fingerprints``, ``nodes``, ``bands``, ``edges``, ``pairs``,
``clusters``, ``survivors``. A module of the same name in ``core`` is the same step.
"""
