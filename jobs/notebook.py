# Databricks notebook source
# MAGIC %md
# MAGIC # Remove near-duplicate documents
# MAGIC
# MAGIC Finds documents that are equal or nearly so, keeps one of each cluster, and lists the
# MAGIC others, each with the one that stands for it. Nothing is sampled and no pair within the
# MAGIC distance is missed.
# MAGIC
# MAGIC 1. Add this repository to your workspace: *Create → Git folder*. Open `jobs/notebook` in it.
# MAGIC 2. Attach serverless compute or a cluster (Databricks Runtime 15.4 or newer).
# MAGIC 3. Run the first cell, fill in the widgets at the top, run all.
# MAGIC
# MAGIC Nothing is installed anywhere, unless a profile asks for it: `zh-words` cuts Chinese into words
# MAGIC with jieba, `en-words` takes stems by snowballstemmer. Both this notebook and the executors need
# MAGIC them: `%pip install jieba==0.42.1 snowballstemmer==3.1.1` in a cell above.

# COMMAND ----------

# MAGIC %md
# MAGIC ## The library
# MAGIC It is imported from the Git folder, and pickled *by value*: the functions that run on
# MAGIC executors travel there with their code, so executors need not be able to import it. That
# MAGIC works on serverless compute, on shared clusters and through Databricks Connect alike.

# COMMAND ----------

# Databricks provides dbutils, spark and display; a cell imports what it uses; MAGIC lines are text.
# ruff: noqa: D100, E402, E501, ERA001, F821
from __future__ import annotations

import sys
from pathlib import Path

here = Path.cwd()  # the folder of the notebook
roots = [folder for folder in (here, *here.parents) if (folder / "simhash_spark").is_dir()]
sys.path[:0] = roots and [str(roots[0])]

from pyspark import cloudpickle

import simhash_spark
from simhash_spark import PROFILES, DedupConfig, deduplicate

cloudpickle.register_pickle_by_value(simhash_spark)

dbutils.widgets.text("input", "", "01 Input: path or table")
dbutils.widgets.text("format", "", "02 Format of a path; empty: by suffix")
dbutils.widgets.text("output", "", "03 Output: folder, or prefix of tables")
dbutils.widgets.dropdown("if_exists", "stop", ["stop", "replace"], "04 If the output exists")
dbutils.widgets.text("id_column", "id", "05 Id column; empty: by content")
dbutils.widgets.text("text_column", "text", "06 Text column")
dbutils.widgets.dropdown("profile", "auto", list(PROFILES), "07 Profile")
dbutils.widgets.dropdown("bits", "64", ["64", "128"], "08 Bits of a fingerprint")
dbutils.widgets.text("max_distance", "3", "09 Largest distance, in bits")
dbutils.widgets.text("keep", "length desc, id asc", "10 Which one to keep")

# COMMAND ----------

# MAGIC %md
# MAGIC ## What to read and what to write
# MAGIC | widget | meaning |
# MAGIC | --- | --- |
# MAGIC | input | a path (it contains a `/`), or the name of a table or view such as `main.crawl.pages` |
# MAGIC | format | of a path: `parquet`, `json`, `csv`, `text`, `delta`, ...; empty: by the file suffix |
# MAGIC | output | a folder (it contains a `/`, such as `/Volumes/main/crawl/deduplicated`): Parquet in sub-folders; or the beginning of table names: `main.crawl.pages` gives `main.crawl.pages_survivors` and so on |
# MAGIC | if exists | `stop`: nothing that exists is touched; `replace`: results of an earlier run are replaced one by one as this run reaches them, the survivors last |
# MAGIC | id column | unique and not null; empty: rows are identified by their content |
# MAGIC | largest distance | bits in which two fingerprints may differ, at most 16 of 64 or 32 of 128; 3 of 64 accepts hardly more than typing errors, see the README |
# MAGIC | which one to keep | `ORDER BY` over any columns, `length` and `id`; the first of each cluster survives |

# COMMAND ----------

from simhash_spark.errors import ConfigError, InvariantError, OutputError
from simhash_spark.runs.sources import Source, read_documents, resolve_format

RESULTS = ("fingerprints", "nodes", "edges", "components", "members", "duplicates", "survivors")

source_name, output, if_exists = (
    dbutils.widgets.get(name).strip() for name in ("input", "output", "if_exists")
)
if not source_name or not output:
    message = "Fill in the widgets 'Input' and 'Output'."
    raise ConfigError(message)

config = DedupConfig(
    id_column=dbutils.widgets.get("id_column").strip() or None,
    text_column=dbutils.widgets.get("text_column").strip(),
    profile=dbutils.widgets.get("profile"),
    bits=int(dbutils.widgets.get("bits")),
    max_distance=int(dbutils.widgets.get("max_distance")),
    keep=dbutils.widgets.get("keep"),
)
source_format = dbutils.widgets.get("format").strip() if "/" in source_name else "table"
source = resolve_format(spark, Source((source_name,), source_format))
documents = read_documents(spark, source)
documents.printSchema()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Where results go
# MAGIC The frames of the run are lazy: what is used twice would be computed twice, fingerprints
# MAGIC included. A cluster could cache them, serverless compute refuses to. So each frame that is
# MAGIC used more than once is written, and read back from where it was written. The fingerprints
# MAGIC are worth keeping anyway; `nodes`, `edges`, `components` and `members` may be deleted once the
# MAGIC notebook is through.

# COMMAND ----------

import posixpath

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

writes_tables = "/" not in output


def place(name: str) -> str:
    """Name the folder or the table of a result."""
    return f"{output}_{name}" if writes_tables else f"{output.rstrip('/')}/{name}"


def exists(name: str) -> bool:
    """Tell whether a result is there already."""
    if writes_tables:
        return spark.catalog.tableExists(place(name))
    try:
        return bool(spark.read.format("binaryFile").load(place(name)).columns)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            return False
        raise


def store(name: str, frame: DataFrame) -> DataFrame:
    """Write a result and go on with what was written."""
    writer = frame.write.mode("overwrite" if if_exists == "replace" else "error")
    if writes_tables:
        writer.saveAsTable(place(name))
        return spark.read.table(place(name))
    writer.parquet(place(name))
    return spark.read.parquet(place(name))


def plain(path: str) -> str:
    """Write a path in one way only."""
    return posixpath.normpath(path.removeprefix("dbfs:")) + "/"


if source_name in map(place, RESULTS) or plain(source_name).startswith(plain(output)):
    message = f"The output {output} holds the input {source_name}: choose another output."
    raise OutputError(message)
if if_exists != "replace" and (found := [place(name) for name in RESULTS if exists(name)]):
    message = f"{found[0]} exists: choose another output, or set 'If the output exists' to replace."
    raise OutputError(message)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Run
# MAGIC Fingerprints → pairs → clusters → survivors. A null or repeated id stops the run here. The
# MAGIC survivors have the columns and the values of the input, untouched.

# COMMAND ----------

result = deduplicate(documents, config, store=store)
duplicates = store("duplicates", result.duplicates)
survivors = store("survivors", result.survivors)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was found
# MAGIC Documents that are null, empty or too short to be compared have no fingerprint; they are
# MAGIC kept.

# COMMAND ----------

counts = {
    "documents": result.fingerprints.count(),
    "without fingerprint": result.unfingerprinted.count(),
    "near-duplicate pairs": result.pairs.count(),
    "clusters": result.clusters.where("is_survivor").count(),
    "duplicates": duplicates.count(),
    "survivors": survivors.count(),
}
for name, n_rows in counts.items():
    print(f"{n_rows:>14,}  {name}")
if counts["survivors"] + counts["duplicates"] != counts["documents"]:
    message = (
        "survivors + duplicates is not the number of documents: did the input change meanwhile?"
    )
    raise InvariantError(message)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Removed documents beside those that stand for them
# MAGIC The most distant first: if these are no duplicates to you, choose a smaller distance; if all
# MAGIC of them are beyond doubt, a larger one may find more.

# COMMAND ----------

from pyspark.sql import Column
from pyspark.sql import functions as F

from simhash_spark.stages.documents import identify_documents


def of_row(column: str) -> Column:
    """Give the id of a row; rows of equal content share one."""
    return F.col(column) if config.id_column else F.substring_index(column, "-", 1)


first = duplicates.orderBy(F.desc("distance"), "id").limit(20)
first = first.withColumn("removed", of_row("id")).withColumn("kept", of_row("survivor_id"))
shown = first.select(F.explode(F.array("removed", "kept")).alias("id"))
texts = identify_documents(documents, config).join(shown, on="id", how="left_semi")
texts = texts.dropDuplicates(["id"])
removed_texts = texts.select(F.col("id").alias("removed"), F.col("text").alias("removed_text"))
kept_texts = texts.select(F.col("id").alias("kept"), F.col("text").alias("kept_text"))
side_by_side = first.join(removed_texts, on="removed").join(kept_texts, on="kept")
side_by_side = side_by_side.orderBy(F.desc("distance"), "id")
display(side_by_side.select("distance", "id", "removed_text", "survivor_id", "kept_text"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Done
# MAGIC `survivors` is the clean data; `duplicates` says what was removed, and for which document.
# MAGIC The other frames of the run are in `result` (`pairs`, `clusters`, `unfingerprinted`): write
# MAGIC the ones you need with `store("pairs", result.pairs)`.

# COMMAND ----------

for name in ("survivors", "duplicates", "fingerprints"):
    print(f"{name:<14} {place(name)}")
