# Graphs: from the registry to memory-mapped arrays.
#   in   the entry in config.yaml's `datasets`, the network or $GRAPH_MIRROR; for random graphs their name
#   out  resources/graphs/{graph}/: indptr.npy, indices.npy, weights.npy, graph.json; of a dense graph graph.json alone


rule random_graph:
    """Generate a random weakly connected graph, named by the logarithm of its vertices and its arcs a vertex."""
    input:
        kernels=PLAN.generator_sources,
        script=f"{SCRIPTS}/generate_graph.py",
        code=PLAN.imports("generate_graph.py"),
    output:
        directory("resources/graphs/random-{exponent,[0-9]+}-{per_vertex,[0-9]+}"),
    log:
        "logs/graph/random-{exponent}-{per_vertex}.log",
    params:
        vertices=lambda wildcards: 2 ** int(wildcards.exponent),
        seed=config["seed"],
    message:
        "Generate random-{wildcards.exponent}-{wildcards.per_vertex}"
    shell:
        "python {input.script:q} --name random-{wildcards.exponent}-{wildcards.per_vertex}"
        " --vertices {params.vertices} --arcs-per-vertex {wildcards.per_vertex} --seed {params.seed:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"


rule dense_graph:
    """Name a complete graph; whoever needs its matrix makes it from the seed."""
    input:
        script=f"{SCRIPTS}/generate_dense.py",
        code=PLAN.imports("generate_dense.py"),
    output:
        directory("resources/graphs/dense-{vertices,[0-9]+}"),
    log:
        "logs/graph/dense-{vertices}.log",
    params:
        seed=config["seed"],
    message:
        "Name dense-{wildcards.vertices}"
    shell:
        "python {input.script:q} --vertices {wildcards.vertices} --seed {params.seed:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"


rule graph:
    """Download a data set, check it, parse it and store it as CSR arrays; or generate its stand-in."""
    input:
        lambda wildcards: PLAN.own_files(wildcards.graph),
        script=f"{SCRIPTS}/get_graph.py",
        code=PLAN.imports("get_graph.py"),
        config=ancient(project.path("config.yaml")),
    output:
        directory("resources/graphs/{graph," + "|".join(PLAN.datasets) + "}"),
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
