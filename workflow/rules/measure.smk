# Measure: run and check the solvers of an experiment on its graphs.
#   in   resources/graphs/<graph>, except for generators; resources/build/<experiment>.json
#   out  results/machines/<machine>/<experiment>/<graph>.jsonl: a record of each solver
#   1    measure-<experiment>: an experiment on its graphs; on its larger graphs, measure-<experiment>/larger, or without
#        a GPU a job for each, measure-<experiment>/<graph>
#   2    prepare: what must be there before anything is measured
#   3    measure_all: all of them, but not what is tuned


for of, job in [(of, job) for of in (PLAN, TUNING) for job in of.jobs]:

    rule:
        """Run the trials of all solvers of an experiment on one graph after the other, in one process.

        A job that times anything runs alone: no other job uses the machine. A job depends on the library's modules that
        its solvers use, so an edit of another solver does not measure it again.
        """
        name:
            f"measure-{job.name}"
        input:
            graphs=job.stored,
            built=f"resources/build/{job.experiment}.json",
            script=f"{SCRIPTS}/measure.py",
            code=of.modules(job.experiment),
            datasets=ancient(PLAN.registry_files),
        output:
            [f"{of.own_records}/{job.experiment}/{graph}.jsonl" for graph in job.graphs],
        log:
            f"logs/measure/{job.name}.log",
        # More threads than any machine has. Snakemake cuts them to --cores, so no other job runs at the same time.
        threads: 1024 if job.is_timed else 1
        resources:
            gpu=1,
        params:
            experiment=job.experiment,
            graphs=[f"resources/graphs/{graph}" for graph in job.graphs],
            solvers=of.solvers(job.experiment),
            backend=PLAN.backend,
            memory_and_target=PLAN.options("memory_gib", "compute_capability"),
            machine=config["machine"],
            trials=of.limits(job.experiment).trials,
            seed=config["seed"],
            setups=of.experiments[job.experiment].setups,
            budget=of.limits(job.experiment).budget_s,
            longest=of.limits(job.experiment).longest_s,
            emulated=of.emulated_limit(job.experiment),
            # the outputs' common folder
            folder=lambda wildcards, output: str(Path(output[0]).parent),
        message:
            f"Measure and check {job.experiment} on {', '.join(job.graphs)}"
        shell:
            "python {input.script:q} --experiment {params.experiment:q} --graphs {params.graphs:q}"
            " --datasets {input.datasets:q}"
            " --solvers {params.solvers:q} --backend {params.backend:q} {params.memory_and_target:q}"
            " --machine {params.machine:q} --trials {params.trials:q} --setups {params.setups:q} --seed {params.seed:q}"
            " --budget-s {params.budget:q} --longest-s {params.longest:q} {params.emulated:q} --output {params.folder:q}"
            " 2> >(tee {log:q} >&2)"


rule prepare:
    """Compile all kernels and store all graphs, and measure nothing: no compiler then runs between two measurements."""
    input:
        {
            path
            for job in PLAN.jobs
            for path in [f"resources/build/{job.experiment}.json", *job.stored]
        },
    message:
        "All graphs and compiled kernels are there"


rule measure_all:
    """Measure all experiments, and make nothing of the records."""
    input:
        PLAN.measured(*PLAN.experiments),
    message:
        "All records are there"
