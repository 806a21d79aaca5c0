# Rules of this package: graphs of the GAP Benchmark Suite, and scores of one graph in shards.


include: "standard_graphs.smk"
include: "scores/shards.smk"
