"""The library over Spark Connect, as a program: prints a line of JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from pyspark import cloudpickle
from pyspark.sql import SparkSession

import simhash_spark
from simhash_spark import (
    PROFILES,
    DedupConfig,
    fingerprint,
    fingerprints,
    learn_statistics,
    load_statistics,
    near_duplicates,
    register_functions,
    save_statistics,
)
from simhash_spark.profiles.learned import Idf


def main(articles: str) -> None:
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    cloudpickle.register_pickle_by_value(simhash_spark)
    documents = spark.read.json(articles)
    pairs = near_duplicates(documents)
    found = fingerprints(documents, DedupConfig(bits=128)).orderBy("id").limit(5)
    register_functions(spark)
    documents.createOrReplaceTempView("documents")
    by_sql = spark.sql("SELECT simhash(text) AS fingerprint FROM documents ORDER BY id LIMIT 5")
    distances = spark.sql("SELECT hamming_distance(5, 6) AS d, hamming_distance(NULL, 1) AS none")
    profile = replace(PROFILES["auto"], name="both", weigh=Idf(), threshold="median")
    learning = DedupConfig(profile=profile)
    learned = learn_statistics(documents, learning)
    save_statistics(learned, spark, "learned")
    learning = replace(learning, statistics=load_statistics(spark, "learned"))
    by_both = fingerprints(documents, learning).orderBy("id").limit(5)
    result = {
        "is_connect": type(spark).__module__.startswith("pyspark.sql.connect"),
        "pairs": sorted([row.id_l, row.id_r] for row in pairs.collect()),
        "columns": found.columns,
        "fingerprints": [row.fingerprint for row in found.collect()],
        "by_sql": [row.fingerprint for row in by_sql.collect()],
        "distances": list(distances.first()),
        "statistics": [learned.digest, learning.statistics.digest],
        "n_documents": learned.n_documents,
        "by_learned": [row.fingerprint for row in by_both.collect()],
        "at_prompt": [
            fingerprint(row.text, profile, statistics=learned)
            for row in documents.orderBy("id").limit(5).collect()
        ],
    }
    sys.stdout.write("\n" + json.dumps(result) + "\n")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
