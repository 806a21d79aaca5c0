# Graphs: from the registry to memory-mapped arrays.
#   in   the entry in config.yaml's `datasets`, the network or $GRAPH_MIRROR
#   out  resources/graphs/{graph}/: indptr.npy, indices.npy, weights.npy, graph.json


rule graph:
    """Download a data set, check it, parse it and store it as CSR arrays; or generate its stand-in."""
    input:
        code=PLAN.library("graphs"),
    output:
        directory("resources/graphs/{graph}"),
    log:
        "logs/graph/{graph}.log",
    params:
        dataset=lambda wildcards: plan.as_json(PLAN.datasets[wildcards.graph]),
        offline=config["offline"],
        seed=config["seed"],
    shell:
        "{PYTHON:q} {SCRIPTS:q}/get_graph.py --graph {wildcards.graph:q} --dataset {params.dataset:q}"
        " --downloads resources/downloads --offline {params.offline:q} --seed {params.seed:q}"
        " --output {output:q} 2> {log:q}"
