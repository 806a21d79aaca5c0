# Publish: the reports' tables and figures again, printed numbers beside measured ones.
#   in   results/published/, the records of this and of the committed machines
#   out  results/tables/table-*.{csv,md,html}, results/figures/figure-*.{svg,png}


rule table:
    """Put an experiment's measured times beside the printed ones."""
    input:
        PLAN.templates,
        PLAN.schemas,
        published=lambda wildcards: plan.printed_tables()[f"table-{wildcards.number}"],
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


rule figure:
    """Draw an experiment's time against graph size, printed and measured on the same axes."""
    input:
        PLAN.schemas,
        published=lambda wildcards: plan.printed_tables()[
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
