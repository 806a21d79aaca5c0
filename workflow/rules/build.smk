# Build: compile the kernels ahead, so that no compilation falls into a trial.
#   in   kernels/
#   out  resources/build/{experiment}/{backend}.json: which artefact each source file became


rule build:
    """Compile an experiment's kernels for one backend; artefacts are cached by content in build/.

    There is a job for each experiment, so that a change of its sources measures no other again. A job keeps all
    cores busy by itself: one at a time.
    """
    input:
        kernels=lambda wildcards: PLAN.sources(wildcards.experiment, wildcards.backend),
        script=f"{SCRIPTS}/build_kernels.py",
        code=PLAN.imports("build_kernels.py"),
    output:
        "resources/build/{experiment}/{backend}.json",
    log:
        "logs/build/{experiment}/{backend}.log",
    resources:
        compiler=1,
    message:
        "Compile the kernels of {wildcards.experiment} for {wildcards.backend}"
    shell:
        "python {input.script:q} --backend {wildcards.backend:q} --output {output:q} {input.kernels:q}"
        " 2> >(tee {log:q} >&2)"
