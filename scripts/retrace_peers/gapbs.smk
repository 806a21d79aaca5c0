# The GAP Benchmark Suite: its source, and the library that is compiled with it.


import retrace_peers


rule gapbs:
    """Get the source of the GAP Benchmark Suite, which is no part of the project, and compile what calls it.

    If it cannot be had, the output says why, and the solvers that call it are skipped. Their experiments are compiled
    after it, so this begins before all else.
    """
    input:
        script=STAGE,
        kernels=sorted(str(file) for file in retrace_peers.kernels.iterdir()),
        code=[
            f"{SCRIPTS}/retrace_peers/get_gapbs.py",
            *imports("retrace_peers/get_gapbs.py"),
        ],
    output:
        retrace_peers.outcome,
    log:
        "logs/gapbs.log",
    priority: 3
    conda:
        ENVIRONMENT
    message:
        "Get the source of the GAP Benchmark Suite"
    shell:
        "python {input.script:q} get-gapbs --output {output:q} --warnings {log:q}"
        " > {log:q} 2> >(tee -a {log:q} >&2)"
