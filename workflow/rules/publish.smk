# Publish: make the tables and figures, with printed numbers and words beside measured ones.
#   in   results/published/<report>.yaml and .csv; the records of this machine and of the committed machines
#   out  results/tables/{experiment}.{csv,md,html}
#        results/figures/{figure}.{svg,png,md}: the .md is the caption
#        results/tables/claims-{report}.{csv,md,html}
#        results/tables/claims-summary.{csv,md,html}
#   1    table: a table of each experiment
#   2    figure: the figures of the reports, and one for each experiment that no report shows
#   3    claims: what a report says in words, with verdicts
#   4    claims_summary: how many claims of each report hold
# `--report` names the report of an experiment, if there is one. Its printed numbers are in the .csv beside the .yaml.


rule table:
    """Make a table of the measured times of {experiment}, beside the printed times if its report prints any."""
    input:
        f"{TEMPLATES}/table.md.j2",
        f"{TEMPLATES}/table.html.j2",
        report=lambda wildcards: PLAN.report_files(wildcards.experiment),
        records=lambda wildcards: PLAN.records(wildcards.experiment),
        script=f"{SCRIPTS}/make_table.py",
        code=imports("make_table.py"),
    output:
        csv="results/tables/{experiment}.csv",
        md="results/tables/{experiment}.md",
        html=report(
            "results/tables/{experiment}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{experiment}"},
        ),
    log:
        "logs/table/{experiment}.log",
    params:
        report=lambda wildcards, input: ["--report", *input.report[:1]]
        * bool(input.report),
    message:
        "Write the table {wildcards.experiment}"
    shell:
        "python {input.script:q} --experiment {wildcards.experiment:q} {params.report:q}"
        " --records {input.records:q} --output-prefix results/tables/{wildcards.experiment:q}"
        " 2> >(tee {log:q} >&2)"


rule figure:
    """Draw {figure} from the measured times of its experiment, with the printed times if its report prints any."""
    input:
        report=lambda wildcards: PLAN.report_files(PLAN.figures[wildcards.figure]),
        records=lambda wildcards: PLAN.records(PLAN.figures[wildcards.figure]),
        script=f"{SCRIPTS}/make_figure.py",
        code=imports("make_figure.py"),
    output:
        svg=report(
            "results/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        png="results/figures/{figure}.png",
        md="results/figures/{figure}.md",
    log:
        "logs/figure/{figure}.log",
    params:
        report=lambda wildcards, input: ["--report", *input.report[:1]]
        * bool(input.report),
    message:
        "Draw {wildcards.figure}"
    shell:
        "python {input.script:q} --figure {wildcards.figure:q} {params.report:q}"
        " --records {input.records:q} --output-prefix results/figures/{wildcards.figure:q}"
        " 2> >(tee {log:q} >&2)"


rule claims:
    """Put what the report {report} says in words beside what was measured, with a verdict."""
    input:
        f"{TEMPLATES}/table.md.j2",
        f"{TEMPLATES}/table.html.j2",
        report=lambda wildcards: plan.published(wildcards.report),
        records=lambda wildcards: PLAN.report_records(wildcards.report),
        script=f"{SCRIPTS}/make_claims.py",
        code=imports("make_claims.py"),
    output:
        csv="results/tables/claims-{report}.csv",
        md="results/tables/claims-{report}.md",
        html=report(
            "results/tables/claims-{report}.html",
            caption="../report/claims.rst",
            category="Claims",
            labels={"report": "{report}"},
        ),
    log:
        "logs/claims/{report}.log",
    message:
        "Judge the claims of {wildcards.report}"
    shell:
        "python {input.script:q} --report {input.report[0]:q} --records {input.records:q}"
        " --output-prefix results/tables/claims-{wildcards.report:q} 2> >(tee {log:q} >&2)"


rule claims_summary:
    """Count the claims of all reports by verdict."""
    input:
        f"{TEMPLATES}/table.md.j2",
        f"{TEMPLATES}/table.html.j2",
        claims=PLAN.claims,
        script=f"{SCRIPTS}/make_claims_summary.py",
        code=imports("make_claims_summary.py"),
    output:
        csv="results/tables/claims-summary.csv",
        md="results/tables/claims-summary.md",
        html=report(
            "results/tables/claims-summary.html",
            caption="../report/claims-summary.rst",
            category="Claims",
            labels={"report": "all"},
        ),
    log:
        "logs/claims-summary.log",
    message:
        "Count the claims by verdict"
    shell:
        "python {input.script:q} --claims {input.claims:q} --output-prefix results/tables/claims-summary"
        " 2> >(tee {log:q} >&2)"
