"""Functions of the user that travel to the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark import cloudpickle

from simhash_spark.errors import ConfigError
from simhash_spark.profiles import Callback

if TYPE_CHECKING:
    from simhash_spark.profiles import FingerprintSettings


def check_function(settings: FingerprintSettings) -> None:
    """Refuse a function that cannot be pickled, before Spark says so in its own way."""
    callback = settings.profile.tokenize
    if not isinstance(callback, Callback):
        return
    try:
        cloudpickle.dumps(callback.function)  # type: ignore[no-untyped-call]
    except Exception as error:
        message = (
            f"The function '{callback.name}' cannot travel to the workers ({error}): let it make "
            "what cannot be pickled when it is called."
        )
        raise ConfigError(message) from error
