# Build: compile kernels before anything is measured.
#   in   kernels/: the files of an experiment's solvers
#   out  resources/build/{experiment}.json: the compiled file of each source file
#   1    thrust: compile what takes longest
#   2    build: compile the kernels of an experiment


rule thrust:
    """Compile what uses Thrust: nvcc takes 20 s, so this begins before all else, and a build finds it in build/."""
    input:
        kernels=PLAN.thrust_kernels,
        script=STAGE,
        code=stage_code("build-kernels", aside=project.ALL_SOLVERS),
    output:
        "resources/build/peers/thrust.json",
    log:
        "logs/build/thrust.log",
    priority: 3
    conda:
        ENVIRONMENT
    params:
        job=PLAN.compiling(PLAN.backend),
    message:
        "Compile what uses Thrust"
    shell:
        "python {input.script:q} build-kernels {params.job:q} --processes {threads} --files {input.kernels:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"


rule build:
    """Compile the kernels and C++ baselines of {experiment}; the compiled files are cached in build/ by content.

    Each experiment has a job of its own, so that an edit of a kernel measures only its experiments again.
    """
    input:
        kernels=lambda wildcards: PLAN.with_experiment(wildcards.experiment).kernels(
            wildcards.experiment
        ),
        peers=lambda wildcards: PLAN.with_experiment(wildcards.experiment).peers(
            wildcards.experiment
        ),
        compiled_before=lambda wildcards: PLAN.with_experiment(
            wildcards.experiment
        ).compiled_before(wildcards.experiment),
        script=STAGE,
        code=stage_code("build-kernels", aside=project.ALL_SOLVERS),
    output:
        "resources/build/{experiment}.json",
    log:
        "logs/build/{experiment}.log",
    priority: 2
    conda:
        ENVIRONMENT
    threads: 4
    params:
        job=PLAN.compiling("host", PLAN.backend),
    message:
        "Compile the kernels of {wildcards.experiment}"
    shell:
        "python {input.script:q} build-kernels {params.job:q} --processes {threads} --files {input.kernels:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"
