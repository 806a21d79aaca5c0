# Build: compile kernels before anything is measured.
#   in   kernels/: the files of an experiment's solvers
#   out  resources/build/{experiment}/{backend}.json: the compiled file of each source file


rule build:
    """Compile the kernels of {experiment} for {backend}; the compiled files are cached in build/ by content.

    Each experiment has a job of its own, so that an edit of a kernel measures only its experiments again. A job uses
    all cores, so one job runs at a time.
    """
    input:
        kernels=lambda wildcards: PLAN.kernels(wildcards.experiment, wildcards.backend),
        script=f"{SCRIPTS}/build_kernels.py",
        code=imports("build_kernels.py"),
    output:
        "resources/build/{experiment}/{backend}.json",
    log:
        "logs/build/{experiment}/{backend}.log",
    resources:
        compiler=1,
    params:
        compute_capability=PLAN.options("compute_capability"),
    message:
        "Compile the kernels of {wildcards.experiment} for {wildcards.backend}"
    shell:
        "python {input.script:q} --backend {wildcards.backend:q} {params.compute_capability:q} --output {output:q}"
        " {input.kernels:q} 2> >(tee {log:q} >&2)"
