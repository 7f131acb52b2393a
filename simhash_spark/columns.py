"""Column names, in flow order."""

from __future__ import annotations

# documents
ID = "id"
TEXT = "text"
FEATURES = "features"

# what is learned from a corpus
FEATURE = "feature"
FEATURES = "features"
DOCUMENTS = "documents"
SHARES = "shares"
N_SAMPLED = "n_sampled"
THRESHOLDS = "thresholds"

# fingerprints: word 0 of the fingerprint holds bits 0 to 63, word 1 (128 bits only) bits 64 to 127
FINGERPRINT = "fingerprint"
FINGERPRINT_HIGH = "fingerprint_high"
N_FEATURES = "n_features"
N_CHARACTERS = "n_characters"
REASON = "reason"

# nodes
N_DOCUMENTS = "n_documents"

# blocks
FINGERPRINTS = "fingerprints"
PARTITION = "partition"
ROUTE = "route"

# edges and pairs
EFFORT = "effort"
ID_L = "id_l"
ID_R = "id_r"
DISTANCE = "distance"
SIMILARITY = "similarity"

# clusters
COMPONENT = "component"
COMPONENT_HIGH = "component_high"
CLUSTER_ID = "cluster_id"
CLUSTER_SIZE = "cluster_size"
IS_SURVIVOR = "is_survivor"
SURVIVOR_ID = "survivor_id"


def fingerprint_words(bits: int, suffix: str = "") -> list[str]:
    """List the columns that hold a fingerprint of that many bits.

    >>> fingerprint_words(128, "_l")
    ['fingerprint_l', 'fingerprint_high_l']
    """
    return [f"{name}{suffix}" for name in (FINGERPRINT, FINGERPRINT_HIGH)[: bits // 64]]


def component_words(bits: int) -> list[str]:
    """List the columns that hold a component: the smallest fingerprint in it.

    >>> component_words(64)
    ['component']
    """
    return [COMPONENT, COMPONENT_HIGH][: bits // 64]
