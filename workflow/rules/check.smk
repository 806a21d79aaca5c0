# Check: list which answers were verified. The comparison itself is part of each measurement.
#   in   all records
#   out  results/tables/verification.{csv,md,html}


rule verification:
    """List every solver on every graph, the oracle that checked its answer, and whether they agreed."""
    input:
        expand(f"{TEMPLATES}/{{name}}.j2", name=["table.md", "table.html", "words.txt"]),
        records=PLAN.records(*PLAN.experiments),
        script=STAGE,
        code=stage_code("make-verification"),
    output:
        csv="results/tables/verification.csv",
        md="results/tables/verification.md",
        html=report(
            "results/tables/verification.html",
            caption="../report/verification.rst",
            category="Verification",
            labels={"what": "every solver's answer against an oracle"},
        ),
    log:
        "logs/verification.log",
    conda:
        ENVIRONMENT
    message:
        "List which answers were verified"
    shell:
        "python {input.script:q} make-verification --records {input.records:q}"
        " --output-prefix results/tables/verification 2> >(tee {log:q} >&2)"
