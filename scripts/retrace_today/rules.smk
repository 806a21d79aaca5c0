# Rules of this package: scores by protocols of the field, and of one graph in shards.


include: "protocol_scores.smk"
include: "scores/shards.smk"
