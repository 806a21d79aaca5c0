# Build: compile the kernels ahead, so that no compilation falls into a trial.
#   in   kernels/
#   out  resources/build/{backend}.json: which artefact each source file became


rule build:
    """Compile every kernel file for one backend; artefacts are cached by content in build/."""
    input:
        kernels=PLAN.kernels,
        code=PLAN.library("devices"),
    output:
        "resources/build/{backend}.json",
    log:
        "logs/build/{backend}.log",
    shell:
        "{PYTHON:q} {SCRIPTS:q}/build_kernels.py --backend {wildcards.backend:q} --output {output:q} 2> {log:q}"
