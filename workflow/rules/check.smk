# Check: every answer was compared with an oracle when it was measured; this stage tells the outcome.
#   in   all records
#   out  results/tables/verification.{csv,md,html}


rule verification:
    """List solver by graph by backend, which oracle it was checked against, and whether they agreed."""
    input:
        PLAN.templates,
        PLAN.schemas,
        records=PLAN.all_records,
        script=f"{SCRIPTS}/make_verification.py",
        code=PLAN.imports("make_verification.py"),
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
    message:
        "List which answers were verified"
    shell:
        "python {input.script:q} --records {input.records:q}"
        " --output-prefix results/tables/verification 2> >(tee {log:q} >&2)"
