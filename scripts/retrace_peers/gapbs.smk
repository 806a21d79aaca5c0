# The GAP Benchmark Suite: its source, the library that is compiled with it, and its graphs.


import retrace_peers


rule gapbs:
    """Get the source of the GAP Benchmark Suite, which is no part of the project, and compile what calls it.

    If it cannot be had, the output says why, and the solvers that call it are skipped. Their experiments are compiled
    after it, so this begins before all else.
    """
    input:
        script=STAGE,
        kernels=sorted(str(file) for file in retrace_peers.kernels.iterdir()),
        code=[
            f"{SCRIPTS}/retrace_peers/get_gapbs.py",
            *imports("retrace_peers/get_gapbs.py"),
        ],
    output:
        retrace_peers.outcome,
    log:
        "logs/gapbs.log",
    priority: 3
    conda:
        ENVIRONMENT
    message:
        "Get the source of the GAP Benchmark Suite"
    shell:
        "python {input.script:q} get-gapbs --output {output:q} --warnings {log:q}"
        " > {log:q} 2> >(tee -a {log:q} >&2)"


rule standard_graph:
    """Make GAP's graph {kind}-{scale} by its own generator and builder, with the sources that it picks."""
    input:
        f"{KERNELS}/retrace_peers/standard_graph.cpp",
        peer=retrace_peers.outcome,
        script=STAGE,
        code=imports("retrace_peers/standard_graphs.py"),
    output:
        directory("resources/graphs/{kind,kron|urand}-{scale,[0-9]+}"),
    log:
        "logs/graph/{kind}-{scale}.log",
    priority: 2
    conda:
        ENVIRONMENT
    # All cores: Snakemake sets OMP_NUM_THREADS to it.
    threads: 1024
    params:
        job=lambda wildcards: words_of(
            name="{kind}-{scale}".format(**wildcards), seed=config["seed"]
        ),
    message:
        "Generate {wildcards.kind}-{wildcards.scale}"
    shell:
        "python {input.script:q} generate-standard-graph {params.job:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"
