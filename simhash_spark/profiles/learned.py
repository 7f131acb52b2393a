"""What a profile learns from a corpus: the steps that need it, and the value that holds it.

``weigh = idf`` needs to know in how many documents a feature occurs, and
``threshold = median`` where the median of each bit lies. Both are learned
once (``simhash_spark.learn_statistics``), stored, and used again: a fingerprint
is then a function of the document and of the statistics, whose digest is part
of what defines it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import ClassVar

from simhash_spark.checks import check_member, check_range

THRESHOLDS = ("half", "median")
"""What share of the weight a bit needs more than: half, or the median of that share."""


@dataclass(frozen=True)
class Idf:
    """A feature weighs its TF times its IDF: the fewer documents have it, the more.

    IDF is ``1 + ln((1 + n) / (1 + d))`` for a feature in d of n documents, the
    smooth form of scikit-learn's ``TfidfTransformer``: never 0, so that no
    document loses all of its features, and 1 for what is in every document.

    Parameters
    ----------
    tf : {'log', 'set'}
        TF of a feature that occurs c times in the document: 1 + ln c, or 1.
    top : int
        Most frequent features whose d is kept; 16 bytes each. Any other
        feature counts as one of a single document.
    """

    step: ClassVar[str] = "idf"
    tf: str = "log"
    top: int = 1_000_000

    def __post_init__(self) -> None:
        check_member("tf", self.tf, ("log", "set"))
        check_range("top", self.top, 1, 4_000_000)


@dataclass(frozen=True)
class Statistics:
    """What was learned from a corpus.

    Arrays are kept as bytes, which compare, hash and travel as they are;
    ``core.vote`` reads them without a copy.

    Parameters
    ----------
    profile : str
        Name of the profile they were learned with.
    bits : int
        Length of its fingerprints.
    definition : str
        Digest of its settings: statistics go with these alone.
    n_documents : int
        Documents with a feature; 0 where frequencies were not asked for.
    features : bytes
        Word 0 of the hash of each feature known, ascending: uint64, little-endian.
    documents : bytes
        How many documents have it, two or more: int64, little-endian.
    n_sampled : int
        Texts that the thresholds were learned from; 0 where not asked for.
    thresholds : tuple of int
        For each bit the share of the weight it needs more than, in 2^-20.
    source : str
        Folder that they were read from or written to.

    Attributes
    ----------
    digest : str
        Hash of all that was learned, and of what it goes with.
    """

    profile: str
    bits: int
    definition: str
    n_documents: int = 0
    features: bytes = field(default=b"", repr=False)
    documents: bytes = field(default=b"", repr=False)
    n_sampled: int = 0
    thresholds: tuple[int, ...] = field(default=(), repr=False)
    source: str = field(default="", compare=False)
    # Not a cached_property: up to Python 3.11 that holds a lock, and cannot be pickled by value.
    digest: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        head = (self.bits, self.definition, self.n_documents, self.n_sampled, *self.thresholds)
        parts = [",".join(map(str, head)).encode(), self.features, self.documents]
        digest = hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]
        object.__setattr__(self, "digest", digest)

    @property
    def n_features(self) -> int:
        """Features whose number of documents is known."""
        return len(self.features) // 8
