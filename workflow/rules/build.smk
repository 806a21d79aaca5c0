# Build: compile the kernels ahead, so that no compilation falls into a trial.
#   in   kernels/
#   out  resources/build/{backend}.json: which artefact each source file became


rule build:
    """Compile every kernel file for one backend; artefacts are cached by content in build/."""
    input:
        kernels=PLAN.kernels,
        script=f"{SCRIPTS}/build_kernels.py",
        code=PLAN.imports("build_kernels.py"),
    output:
        "resources/build/{backend}.json",
    log:
        "logs/build/{backend}.log",
    message:
        "Compile the kernels for {wildcards.backend}"
    shell:
        "python {input.script:q} --backend {wildcards.backend:q} --output {output:q} 2> >(tee {log:q} >&2)"
