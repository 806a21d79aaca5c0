# Scores of searches by the protocols of GAP and Graph500.
#   in   records of gap-bfs, gap-sssp and gap-bc, and of gap-bfs-27 and gap-sssp-27
#   out  results/tables/<experiment>-scores.{csv,md}


rule protocol_scores:
    """Write the scores of {experiment} as GAP and Graph500 report them."""
    input:
        records=lambda wildcards: PLAN.records(wildcards.experiment),
        script=STAGE,
        code=imports("retrace_today/protocol_scores.py"),
    output:
        csv="results/tables/{experiment,gap-[a-z]+(-27)?}-scores.csv",
        md="results/tables/{experiment}-scores.md",
    log:
        "logs/publish/{experiment}-scores.log",
    conda:
        ENVIRONMENT
    message:
        "Write the scores of {wildcards.experiment}"
    shell:
        "python {input.script:q} score-protocols --experiment {wildcards.experiment:q} --records {input.records:q}"
        " --output-prefix results/tables/{wildcards.experiment}-scores 2> >(tee {log:q} >&2)"
