# Measure: run and check the solvers of an experiment on a graph.
#   in   resources/graphs/{graph}, except for generators; resources/build/{experiment}/*.json
#   out  results/machines/<machine>/{experiment}/{graph}.jsonl: a record of each solver
#   1    measure: one experiment on one graph
#   2    measure_all: all of them


rule measure:
    """Run the trials of all solvers of {experiment} on {graph}, interleaved in one process.

    The job runs alone: no other job uses the machine. It depends on the library's modules that its solvers use, so an
    edit of another solver does not measure it again.
    """
    input:
        graph=branch(
            lambda wildcards: PLAN.experiments[wildcards.experiment].generates,
            then=[],
            otherwise="resources/graphs/{graph}",
        ),
        built=expand(
            "resources/build/{{experiment}}/{backend}.json",
            backend=["host", PLAN.backend],
        ),
        script=f"{SCRIPTS}/measure.py",
        code=lambda wildcards: PLAN.modules(wildcards.experiment),
    output:
        f"{PLAN.own_records}/{{experiment}}/{{graph}}.jsonl",
    log:
        "logs/measure/{experiment}/{graph}.log",
    # More threads than any machine has. Snakemake cuts them to --cores, so no other job runs at the same time.
    threads: 1024
    resources:
        gpu=1,
    params:
        solvers=lambda wildcards: PLAN.solvers(wildcards.experiment),
        backend=PLAN.backend,
        limits=PLAN.options("memory_gib", "compute_capability"),
        machine=config["machine"],
        trials=lambda wildcards: PLAN.limits(wildcards.experiment).trials,
        seed=config["seed"],
        setups=lambda wildcards: PLAN.experiments[wildcards.experiment].setups,
        budget=lambda wildcards: PLAN.limits(wildcards.experiment).budget_s,
        longest=lambda wildcards: PLAN.limits(wildcards.experiment).longest_s,
    message:
        "Measure and check {wildcards.experiment} on {wildcards.graph}"
    shell:
        "python {input.script:q} --experiment {wildcards.experiment:q} --graph resources/graphs/{wildcards.graph:q}"
        " --solvers {params.solvers:q} --backend {params.backend:q} {params.limits:q} --machine {params.machine:q}"
        " --trials {params.trials:q} --setups {params.setups:q} --seed {params.seed:q}"
        " --budget-s {params.budget:q} --longest-s {params.longest:q} --output {output:q} 2> >(tee {log:q} >&2)"


rule measure_all:
    """Measure all experiments, and make nothing of the records."""
    input:
        PLAN.measured(*PLAN.experiments),
    message:
        "All records are there"
