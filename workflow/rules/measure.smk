# Measure: run and check the solvers of an experiment on its graphs.
#   in   resources/graphs/<graph>, except for generators; resources/build/<experiment>.json
#   out  results/machines/<machine>/<experiment>/<graph>.jsonl: a record of each solver
#   1    measure-<experiment>: an experiment on its graphs; without a GPU, measure-<experiment>/larger: on each of its
#        larger graphs, in a job for each
#   2    oracle: what answers on a graph are checked against
#   3    prepare: what can be there before anything is measured
#   4    measure_all: all of them, but not what is tuned


for of, job in [(of, job) for of in (PLAN, TUNING) for job in of.jobs]:

    rule:
        """Run the trials of all solvers of an experiment on one graph after the other, in one process.

        A job that times anything runs alone: no other job uses the machine. A job depends on the library's modules that
        its solvers use, so an edit of another solver does not measure it again. A job that was killed goes on from
        resources/checkpoints/, where it keeps its trials until all its graphs are measured.
        """
        name:
            f"measure-{job.name}"
        input:
            graphs=job.stored,
            built=f"resources/build/{job.experiment}.json",
            script=STAGE,
            code=of.modules(job.experiment),
            datasets=ancient(PLAN.registry_files),
        output:
            [
                f"{of.own_records}/{job.experiment}/{graph}.jsonl"
                for graph in job.at_once
            ],
        log:
            f"logs/measure/{job.experiment}/{{graph}}.log"
            if job.apart
            else f"logs/measure/{job.name}.log",
        wildcard_constraints:
            graph=one_of(job.graphs),
        # Graphs and kernels come first and tables last, so that no measurement waits for them to end.
        priority: 1
        conda:
            ENVIRONMENT
        # More threads than any machine has. Snakemake cuts them to --cores, so no other job runs at the same time; on
        # Slurm, profiles/slurm asks for a whole node.
        threads: 1024 if job.is_timed else 1
        resources:
            gpu=1 if PLAN.backend == "cuda" else None,
            emulator=1 if PLAN.backend == "emulator" else None,
        params:
            job=of.measuring(job.experiment),
            graphs=[f"resources/graphs/{graph}" for graph in job.at_once],
            checkpoints=f"resources/checkpoints/{job.experiment}",
            # the outputs' common folder
            folder=lambda wildcards, output: str(Path(output[0]).parent),
        message:
            (
                f"Measure and check {job.experiment} on "
                + ("{wildcards.graph}" if job.apart else ", ".join(job.graphs))
            )
        shell:
            "python {input.script:q} measure-experiment {params.job:q} --graphs {params.graphs:q}"
            " --datasets {input.datasets:q} --output {params.folder:q} --checkpoints {params.checkpoints:q}"
            " 2> >(tee {log:q} >&2)"


rule oracle:
    """Compute the expected answers on {graph}, which are cached in build/ by content."""
    input:
        graph="resources/graphs/{graph}",
        script=STAGE,
        code=stage_code("make-oracle"),
    output:
        "resources/oracles/{graph}.txt",
    log:
        "logs/oracle/{graph}.log",
    wildcard_constraints:
        graph=one_of(PLAN.sparse),
    priority: 2
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: words_of(problems=PLAN.sparse[wildcards.graph]),
    message:
        "Compute the expected answers on {wildcards.graph}"
    shell:
        "python {input.script:q} make-oracle {params.job:q} --graph {input.graph:q} --output {output:q}"
        " 2> >(tee {log:q} >&2)"


rule prepare:
    """Compile all kernels, store all graphs and compute the expected answers on the larger ones, all on all cores.

    Nothing is measured, and nothing of that is then done between two measurements.
    """
    input:
        {f"resources/build/{job.experiment}.json" for job in PLAN.jobs},
        {
            f"resources/graphs/{graph}"
            for job in PLAN.jobs
            for graph in job.graphs
            if job.takes_graphs
        },
        [f"resources/oracles/{graph}.txt" for graph in PLAN.sparse],
    message:
        "All graphs, compiled kernels and expected answers are there"


rule measure_all:
    """Measure all experiments, and make nothing of the records."""
    input:
        PLAN.measured(*PLAN.experiments),
    message:
        "All records are there"
