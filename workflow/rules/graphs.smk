# Graphs: store each graph as memory-mapped arrays.
#   in   datasets.yaml, and the network or $GRAPH_MIRROR; for a generated graph its name
#   out  resources/graphs/{graph}/: indptr.npy, indices.npy, weights.npy and graph.json; for a complete graph graph.json
#   1    graph: download a data set, or generate a stand-in
#   2    random_graph: generate a random graph
#   3    dense_graph: write the identity of a complete graph
# Warnings are only in the logs: the last words of a run name all graphs that are not what they should be.


rule graph:
    """Download the data set {dataset}, check it, parse it and store it; or generate its stand-in."""
    input:
        lambda wildcards: PLAN.project_files(wildcards.dataset),
        reader=f"{KERNELS}/host/read_lines.cpp",
        script=f"{SCRIPTS}/get_graph.py",
        code=imports("get_graph.py"),
        datasets=ancient(PLAN.registry_files),
    output:
        directory("resources/graphs/{dataset}"),
    log:
        "logs/graph/{dataset}.log",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        # A change of this entry downloads the graph again; changes of other entries do not.
        entry=lambda wildcards: PLAN.datasets[wildcards.dataset].model_dump_json(),
        # Snakemake ignores changes of a function of `output`: `offline` does not concern a graph that is there.
        offline=lambda wildcards, output: config["offline"],
        seed=config["seed"],
    message:
        "Get the graph {wildcards.dataset}"
    shell:
        "python {input.script:q} --datasets {input.datasets:q} --graph {wildcards.dataset:q}"
        " --downloads resources/downloads --offline {params.offline:q} --seed {params.seed:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"


rule random_graph:
    """Generate a weakly connected graph of 2^{exponent} vertices, {per_vertex} arcs per vertex, perhaps with a hub or sampled sources."""
    input:
        f"{KERNELS}/host/generate_tree_first.cpp",
        f"{KERNELS}/host/tree_first.h",
        f"{KERNELS}/host/in_parallel.h",
        f"{KERNELS}/generate/random_graph.h",
        script=f"{SCRIPTS}/generate_graph.py",
        code=imports("generate_graph.py"),
    output:
        directory(
            "resources/graphs/{kind,random|hub}-{exponent,[0-9]+}-{per_vertex,[0-9]+}{sources,(-[0-9]+)?}"
        ),
    log:
        "logs/graph/{kind}-{exponent}-{per_vertex}{sources}.log",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        vertices=lambda wildcards: 2 ** int(wildcards.exponent),
        hub=lambda wildcards: "--hub" if wildcards.kind == "hub" else "",
        sources=lambda wildcards: (
            ["--sources", wildcards.sources[1:]] if wildcards.sources else []
        ),
        seed=config["seed"],
    message:
        "Generate {wildcards.kind}-{wildcards.exponent}-{wildcards.per_vertex}{wildcards.sources}"
    shell:
        "python {input.script:q} --name {wildcards.kind}-{wildcards.exponent}-{wildcards.per_vertex}{wildcards.sources} {params.hub}"
        " --vertices {params.vertices} --arcs-per-vertex {wildcards.per_vertex} {params.sources:q} --seed {params.seed:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"


rule dense_graph:
    """Write the identity of a complete graph of {vertices} vertices; its matrix is generated when it is measured."""
    input:
        script=f"{SCRIPTS}/generate_dense.py",
        code=imports("generate_dense.py"),
    output:
        directory("resources/graphs/dense-{vertices,[0-9]+}"),
    log:
        "logs/graph/dense-{vertices}.log",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
    message:
        "Name dense-{wildcards.vertices}"
    shell:
        "python {input.script:q} --vertices {wildcards.vertices} --seed {params.seed:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"
