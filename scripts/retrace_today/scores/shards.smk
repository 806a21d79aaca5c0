# Shards: betweenness scores of one graph, cut into jobs that can be killed, resumed and spread over nodes.
#   in   resources/graphs/<graph>; `scores` of config.yaml
#   out  results/scores/<graph>.csv: the score of each vertex; <graph>.jsonl: the record of the whole
#   1    shard: search from every n-th part of the sources, on all GPUs that the job sees; it goes on from its checkpoint
#   2    scores: add up all shards, and check the sum


from retrace.catalogue.known_solvers import CATALOGUE


rule shard:
    """Compute shard {number} of {shards} of the scores of {graph}; after a kill, go on from resources/shards/*.checkpoint.

    The scores are the same bits for any number of shards, GPUs and kills.
    """
    input:
        graph="resources/graphs/{graph}",
        kernels=map(
            project.kernel_path, CATALOGUE.find(PLAN.config.scores.solver).sources
        ),
        script=f"{SCRIPTS}/retrace_today/scores/compute_shard.py",
        code=imports("retrace_today/scores/compute_shard.py"),
    output:
        "resources/shards/{graph}/{number,[0-9]+}-of-{shards,[0-9]+}.npz",
    log:
        "logs/shard/{graph}/{number}-of-{shards}.log",
    conda:
        ENVIRONMENT
    # as a job that measures: the record says how long the searches took
    threads: 1024 if PLAN.backend == "cuda" else 1
    resources:
        gpu=1 if PLAN.backend == "cuda" else None,
    params:
        job=words_of(
            solver=PLAN.set_for_machine(PLAN.config.scores.solver),
            backend=PLAN.backend,
            seed=config["seed"],
            sources=PLAN.config.scores.sources,
            memory_gib=PLAN.config.this.memory_gib,
            compute_capability=PLAN.config.this.compute_capability,
            devices=PLAN.config.scores.devices,
        ),
    message:
        "Compute shard {wildcards.number} of {wildcards.shards} of the scores of {wildcards.graph}"
    shell:
        "python {input.script:q} --graph {input.graph:q} {params.job:q}"
        " --shard {wildcards.number} --shards {wildcards.shards} --output {output:q} 2> >(tee {log:q} >&2)"


rule scores:
    """Add up all shards of the scores of {graph}, compare the sum with the oracle's, and write it with a record."""
    input:
        graph="resources/graphs/{graph}",
        shards=expand(
            "resources/shards/{{graph}}/{number}-of-{shards}.npz",
            number=range(PLAN.config.scores.shards),
            shards=PLAN.config.scores.shards,
        ),
        script=f"{SCRIPTS}/retrace_today/scores/gather_shards.py",
        code=imports("retrace_today/scores/gather_shards.py"),
    output:
        table="results/scores/{graph}.csv",
        record="results/scores/{graph}.jsonl",
    log:
        "logs/scores/{graph}.log",
    conda:
        ENVIRONMENT
    params:
        job=words_of(
            solver=PLAN.set_for_machine(PLAN.config.scores.solver),
            backend=PLAN.backend,
            seed=config["seed"],
            sources=PLAN.config.scores.sources,
            no_check=not PLAN.config.scores.check,
            machine=PLAN.config.machine,
        ),
    message:
        "Add up and check the scores of {wildcards.graph}"
    shell:
        "python {input.script:q} --graph {input.graph:q} {params.job:q}"
        " --shards {input.shards:q} --scores {output.table:q} --record {output.record:q} 2> >(tee {log:q} >&2)"
