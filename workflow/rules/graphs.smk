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
        script=STAGE,
        code=stage_code("get-graph"),
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
        offline=lambda wildcards, output: words_of(offline=config["offline"]),
        job=lambda wildcards: words_of(graph=wildcards.dataset, seed=config["seed"]),
    message:
        "Get the graph {wildcards.dataset}"
    shell:
        "python {input.script:q} get-graph {params.job:q} {params.offline:q} --datasets {input.datasets:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"


rule random_graph:
    """Generate a weakly connected graph of 2^{exponent} vertices, {per_vertex} arcs per vertex, perhaps with a hub or sampled sources."""
    input:
        f"{KERNELS}/host/generate_tree_first.cpp",
        f"{KERNELS}/host/tree_first.h",
        f"{KERNELS}/host/in_parallel.h",
        f"{KERNELS}/generate/random_graph.h",
        script=STAGE,
        code=stage_code("generate-graph"),
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
        job=lambda wildcards: words_of(
            name="{kind}-{exponent}-{per_vertex}{sources}".format(**wildcards),
            vertices=2 ** int(wildcards.exponent),
            arcs_per_vertex=wildcards.per_vertex,
            hub=wildcards.kind == "hub",
            sources=wildcards.sources[1:] or None,
            seed=config["seed"],
        ),
    message:
        "Generate {wildcards.kind}-{wildcards.exponent}-{wildcards.per_vertex}{wildcards.sources}"
    shell:
        "python {input.script:q} generate-graph {params.job:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"


rule dense_graph:
    """Write the identity of a complete graph of {vertices} vertices; its matrix is generated when it is measured."""
    input:
        script=STAGE,
        code=stage_code("generate-dense"),
    output:
        directory("resources/graphs/dense-{vertices,[0-9]+}"),
    log:
        "logs/graph/dense-{vertices}.log",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: words_of(vertices=wildcards.vertices, seed=config["seed"]),
    message:
        "Name dense-{wildcards.vertices}"
    shell:
        "python {input.script:q} generate-dense {params.job:q} --output {output:q} 2> >(tee {log:q} >&2)"
