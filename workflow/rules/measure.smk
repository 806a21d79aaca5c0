# Measure: time and check all solvers of an experiment on a graph, interleaved in one process.
#   in   a graph, the compiled kernels; where the solvers are generators the graph's name alone
#   out  results/machines/<machine>/{experiment}/{graph}.jsonl: one record a line


rule measure:
    """Run the trials of an experiment's solvers on one graph, alone on the machine."""
    input:
        graph=lambda wildcards: PLAN.stored(wildcards.experiment, wildcards.graph),
        built=lambda wildcards: PLAN.built(wildcards.experiment),
        script=f"{SCRIPTS}/measure.py",
        code=lambda wildcards: PLAN.measuring(wildcards.experiment),
    output:
        f"results/machines/{config['machine']}/{{experiment}}/{{graph}}.jsonl",
    log:
        "logs/measure/{experiment}/{graph}.log",
    # more threads than any machine has: cut to --cores, so that nothing else runs beside a timed job
    threads: 1024
    resources:
        gpu=1,
    params:
        solvers=lambda wildcards: PLAN.experiments[wildcards.experiment]["solvers"],
        backend=PLAN.backend,
        machine=config["machine"],
        trials=config["trials"],
        seed=config["seed"],
        budget=config["budget_s"],
    message:
        "Measure and check {wildcards.experiment} on {wildcards.graph}"
    shell:
        "python {input.script:q} --experiment {wildcards.experiment:q} --graph resources/graphs/{wildcards.graph}"
        " --solvers {params.solvers:q} --backend {params.backend:q} --machine {params.machine:q}"
        " --trials {params.trials:q} --seed {params.seed:q} --budget-s {params.budget:q} --output {output:q}"
        " 2> >(tee {log:q} >&2)"
