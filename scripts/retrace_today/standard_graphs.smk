# The graphs on which the GAP Benchmark Suite and Graph500 compare searches, and scores by their protocols.
#   in   the source of GAPBS; without it a stand-in is generated
#   out  resources/graphs/kron-<scale> and urand-<scale>, as other graphs are stored, and where GAP searches from;
#        results/tables/gap-<problem>-scores.{csv,md}


rule standard_graph:
    """Make GAP's graph {kind}-{scale} by its own generator and builder, with the sources that it picks."""
    input:
        f"{KERNELS}/retrace_peers/standard_graph.cpp",
        peer="resources/build/peers/gapbs.json",
        script=STAGE,
        code=imports("retrace_peers/standard_graphs.py"),
    output:
        directory("resources/graphs/{kind,kron|urand}-{scale,[0-9]+}"),
    log:
        "logs/graph/{kind}-{scale}.log",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: words_of(
            name="{kind}-{scale}".format(**wildcards), seed=config["seed"]
        ),
    message:
        "Generate {wildcards.kind}-{wildcards.scale}"
    shell:
        "python {input.script:q} generate-standard-graph {params.job:q}"
        " --output {output:q} --warnings {log:q} > {log:q} 2> >(tee -a {log:q} >&2)"


rule protocol_scores:
    """Write the scores of {experiment} as GAP and Graph500 report them."""
    input:
        records=lambda wildcards: PLAN.records(wildcards.experiment),
        script=STAGE,
        code=imports("retrace_today/protocol_scores.py"),
    output:
        csv="results/tables/{experiment,gap-[a-z]+}-scores.csv",
        md="results/tables/{experiment}-scores.md",
    log:
        "logs/publish/{experiment}-scores.log",
    conda:
        ENVIRONMENT
    message:
        "Write the scores of {wildcards.experiment}"
    shell:
        "python {input.script:q} score-protocols --records {input.records:q}"
        " --output-prefix results/tables/{wildcards.experiment}-scores 2> >(tee {log:q} >&2)"
