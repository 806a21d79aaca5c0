# Check: every answer was compared with an oracle when it was measured; this stage tells the outcome.
#   in   all records
#   out  results/tables/verification.{csv,md,html}


rule verification:
    """List solver by graph by backend, which oracle it was checked against, and whether they agreed."""
    input:
        records=[
            path
            for experiment in PLAN.experiments
            for path in PLAN.records(experiment)
        ],
        code=PLAN.library("publish"),
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
    shell:
        "{PYTHON:q} {SCRIPTS:q}/make_verification.py --records {input.records:q}"
        " --output-prefix results/tables/verification 2> {log:q}"
