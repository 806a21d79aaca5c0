# Graphs: from the registry to memory-mapped arrays.
#   in   the entry in config.yaml's `datasets`, the network or $GRAPH_MIRROR
#   out  resources/graphs/{graph}/: indptr.npy, indices.npy, weights.npy, graph.json


rule graph:
    """Download a data set, check it, parse it and store it as CSR arrays; or generate its stand-in."""
    input:
        lambda wildcards: PLAN.own_files(wildcards.graph),
        script=f"{SCRIPTS}/get_graph.py",
        code=PLAN.imports("get_graph.py"),
        config=ancient(plan.project("config.yaml")),
    output:
        directory("resources/graphs/{graph}"),
    log:
        "logs/graph/{graph}.log",
    params:
        dataset=lambda wildcards: plan.as_json(PLAN.datasets[wildcards.graph]),
        # being a function of `output` too, it may change without a real graph being had again
        offline=lambda wildcards, output: config["offline"],
        seed=config["seed"],
    message:
        "Get the graph {wildcards.graph}"
    shell:
        "python {input.script:q} --config {input.config:q} --graph {wildcards.graph:q} --dataset {params.dataset:q}"
        " --downloads resources/downloads --offline {params.offline:q} --seed {params.seed:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"
