# Publish: the reports' tables and figures again, printed numbers and words beside measured ones.
#   in   results/published/, the records of this and of the committed machines
#   out  results/tables/{table-*,claims-*,generators}.{csv,md,html}, results/figures/*.{svg,png}


rule table:
    """Put an experiment's measured times beside the printed ones."""
    input:
        PLAN.templates,
        PLAN.schemas,
        published=lambda wildcards: printed.printed_tables()[
            f"table-{wildcards.number}"
        ],
        records=lambda wildcards: PLAN.records(f"table-{wildcards.number}"),
        script=f"{SCRIPTS}/make_table.py",
        code=PLAN.imports("make_table.py"),
    output:
        csv="results/tables/table-{number}.csv",
        md="results/tables/table-{number}.md",
        html=report(
            "results/tables/table-{number}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{number}"},
        ),
    log:
        "logs/table-{number}.log",
    message:
        "Write Table {wildcards.number}"
    shell:
        "python {input.script:q} --table table-{wildcards.number} --published {input.published:q}"
        " --records {input.records:q} --output-prefix results/tables/table-{wildcards.number}"
        " 2> >(tee {log:q} >&2)"


rule measured_table:
    """Put measured times into a table of what a report has but gives no times for."""
    input:
        PLAN.templates,
        PLAN.schemas,
        records=lambda wildcards: PLAN.records(wildcards.measured_table),
        script=f"{SCRIPTS}/make_table.py",
        code=PLAN.imports("make_table.py"),
    output:
        csv="results/tables/{measured_table}.csv",
        md="results/tables/{measured_table}.md",
        html=report(
            "results/tables/{measured_table}.html",
            caption="../report/measured_table.rst",
            category="Tables",
            labels={"table": "{measured_table}"},
        ),
    log:
        "logs/{measured_table}.log",
    message:
        "Write the table {wildcards.measured_table}"
    shell:
        "python {input.script:q} --table {wildcards.measured_table:q} --records {input.records:q}"
        " --output-prefix results/tables/{wildcards.measured_table}"
        " 2> >(tee {log:q} >&2)"


rule figure:
    """Draw an experiment's time against graph size, printed and measured on the same axes."""
    input:
        PLAN.schemas,
        published=lambda wildcards: printed.printed_tables()[
            plan.FIGURES[f"figure-{wildcards.number}"]
        ],
        records=lambda wildcards: PLAN.records(
            plan.FIGURES[f"figure-{wildcards.number}"]
        ),
        script=f"{SCRIPTS}/make_figure.py",
        code=PLAN.imports("make_figure.py"),
    output:
        svg=report(
            "results/figures/figure-{number}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{number}"},
        ),
        png="results/figures/figure-{number}.png",
    log:
        "logs/figure-{number}.log",
    message:
        "Draw Figure {wildcards.number}"
    shell:
        "python {input.script:q} --figure figure-{wildcards.number} --published {input.published:q}"
        " --records {input.records:q} --output-prefix results/figures/figure-{wildcards.number}"
        " 2> >(tee {log:q} >&2)"


rule claims:
    """Put what a report says in words beside what was measured, with a verdict."""
    input:
        PLAN.templates,
        PLAN.schemas,
        claims=lambda wildcards: printed.claims_file(wildcards.claiming_report),
        records=lambda wildcards: PLAN.report_records(wildcards.claiming_report),
        script=f"{SCRIPTS}/make_claims.py",
        code=PLAN.imports("make_claims.py"),
    output:
        csv="results/tables/claims-{claiming_report}.csv",
        md="results/tables/claims-{claiming_report}.md",
        html=report(
            "results/tables/claims-{claiming_report}.html",
            caption="../report/claims.rst",
            category="Claims",
            labels={"report": "{claiming_report}"},
        ),
    log:
        "logs/claims-{claiming_report}.log",
    message:
        "Judge the claims of {wildcards.claiming_report}"
    shell:
        "python {input.script:q} --claims {input.claims:q} --records {input.records:q}"
        " --output-prefix results/tables/claims-{wildcards.claiming_report}"
        " 2> >(tee {log:q} >&2)"


rule measured_figure:
    """Draw a figure of a report that prints no numbers, from records alone."""
    input:
        PLAN.schemas,
        records=lambda wildcards: PLAN.records(
            plan.reports.FIGURES[wildcards.measured_figure]
        ),
        script=f"{SCRIPTS}/make_measured_figure.py",
        code=PLAN.imports("make_measured_figure.py"),
    output:
        svg=report(
            "results/figures/{measured_figure}.svg",
            caption="../report/measured_figure.rst",
            category="Figures",
            labels={"figure": "{measured_figure}"},
        ),
        png="results/figures/{measured_figure}.png",
    log:
        "logs/{measured_figure}.log",
    message:
        "Draw {wildcards.measured_figure}"
    shell:
        "python {input.script:q} --figure {wildcards.measured_figure:q} --records {input.records:q}"
        " --output-prefix results/figures/{wildcards.measured_figure}"
        " 2> >(tee {log:q} >&2)"
