# Publish: make the tables and figures, with printed numbers and words beside measured ones.
#   in   results/published/<report>.yaml and .csv; the records of this machine and of the committed machines
#   out  results/tables/<experiment>.{csv,md,html}
#        results/figures/<figure>.{svg,png,md}: the .md is the caption
#        results/tables/claims-{report}.{csv,md,html}
#        results/tables/claims-summary.{csv,md,html}
#        results/report/index.html
#   1    publish-<experiment>: the table of an experiment, and its figures: those of a report, or one of its own
#   2    draw-<waterfall>: a printed time's way to ours, from several experiments
#   3    claims: what a report says in words, with verdicts
#   4    claims_summary: how many claims of each report hold
#   5    page: all of it in one file, with the record of every number
# `--report` names the report of an experiment, if there is one. Its printed numbers are in the .csv beside the .yaml.


for name in PLAN.experiments:
    figures = [
        figure
        for figure, of in PLAN.figures.items()
        if of == name and figure not in PLAN.waterfalls
    ]

    rule:
        """Write the table of an experiment and draw its figures, in one process: most of its time would be its start."""
        name:
            f"publish-{name}"
        input:
            expand(
                f"{TEMPLATES}/{{name}}.j2",
                name=["table.md", "table.html", "table.txt", "words.txt"],
            ),
            f"{TEMPLATES}/figures.yaml",
            report=PLAN.report_files(name),
            records=PLAN.records(*PLAN.shown_with(name)),
            script=STAGE,
            margins=MARGINS,
            code=stage_code("publish-experiment"),
        output:
            csv=f"results/tables/{name}.csv",
            md=f"results/tables/{name}.md",
            html=report(
                f"results/tables/{name}.html",
                caption="../report/table.rst",
                category="Tables",
                labels={"table": name},
            ),
            svg=[
                report(
                    f"results/figures/{figure}.svg",
                    caption=Path(f"results/figures/{figure}.md").absolute(),
                    category="Figures",
                    labels={"figure": figure},
                )
                for figure in figures
            ],
            others=expand(
                "results/figures/{figure}.{form}", figure=figures, form=["png", "md"]
            ),
        log:
            f"logs/publish/{name}.log",
        conda:
            ENVIRONMENT
        params:
            job=words_of(
                experiment=name,
                figures=figures,
                report=next(iter(PLAN.report_files(name)), None),
            ),
        message:
            f"Write the table and draw the figures of {name}"
        shell:
            "python {input.script:q} publish-experiment {params.job:q}"
            " --records {input.records:q} --output results 2> >(tee {log:q} >&2)"


for name, (key, experiments) in PLAN.waterfalls.items():

    rule:
        """Draw a printed time's way to ours, from the records of several experiments."""
        name:
            f"draw-{name}"
        input:
            report=plan.published(key),
            records=PLAN.records(*experiments),
            sentences=f"{TEMPLATES}/figures.yaml",
            script=STAGE,
            margins=MARGINS,
            code=stage_code("draw-waterfall"),
        output:
            report(
                f"results/figures/{name}.svg",
                caption=Path(f"results/figures/{name}.md").absolute(),
                category="Figures",
                labels={"figure": name},
            ),
            f"results/figures/{name}.png",
            f"results/figures/{name}.md",
        log:
            f"logs/publish/{name}.log",
        conda:
            ENVIRONMENT
        params:
            figure=name,
        message:
            f"Draw {name}"
        shell:
            "python {input.script:q} draw-waterfall --figure {params.figure:q} --report {input.report[0]:q}"
            " --records {input.records:q}"
            " --output results/figures 2> >(tee {log:q} >&2)"


rule claims:
    """Put what the report {report} says in words beside what was measured, with a verdict."""
    input:
        expand(f"{TEMPLATES}/{{name}}.j2", name=["table.md", "table.html", "words.txt"]),
        report=lambda wildcards: plan.published(wildcards.report),
        records=lambda wildcards: PLAN.report_records(wildcards.report),
        script=STAGE,
        margins=MARGINS,
        code=stage_code("make-claims"),
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
    conda:
        ENVIRONMENT
    message:
        "Judge the claims of {wildcards.report}"
    shell:
        "python {input.script:q} make-claims --report {input.report[0]:q} --records {input.records:q}"
        " --output-prefix results/tables/claims-{wildcards.report:q} 2> >(tee {log:q} >&2)"


rule claims_summary:
    """Count the claims of all reports by verdict."""
    input:
        expand(f"{TEMPLATES}/{{name}}.j2", name=["table.md", "table.html", "words.txt"]),
        claims=expand("results/tables/claims-{report}.csv", report=PLAN.judged),
        script=STAGE,
        code=stage_code("make-claims-summary"),
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
    conda:
        ENVIRONMENT
    message:
        "Count the claims by verdict"
    shell:
        "python {input.script:q} make-claims-summary --claims {input.claims:q} --output-prefix results/tables/claims-summary"
        " 2> >(tee {log:q} >&2)"


rule page:
    """Put all results on one page that needs no network: reports, claims, tables, figures and records."""
    input:
        expand(f"{TEMPLATES}/report.{{part}}", part=["html.j2", "css", "js"]),
        expand(f"{TEMPLATES}/{{name}}.j2", name=["document.html", "words.txt"]),
        # what it repeats of them
        project.path("docs/errata.md"),
        project.path("docs/references.bib"),
        captions=expand("results/figures/{figure}.md", figure=PLAN.figures),
        numbers=[path for key in PLAN.reports for path in plan.published(key)[1:]],
        reports=[plan.published(key)[0] for key in PLAN.reports],
        records=PLAN.records(*PLAN.experiments),
        figures=expand("results/figures/{figure}.svg", figure=PLAN.figures),
        script=STAGE,
        margins=MARGINS,
        code=stage_code("make-report"),
    output:
        "results/report/index.html",
    log:
        "logs/page.log",
    conda:
        ENVIRONMENT
    params:
        job=words_of(machine=PLAN.config.machine),
    message:
        "Put everything on one page, {output}"
    shell:
        "python {input.script:q} make-report {params.job:q} --reports {input.reports:q} --records {input.records:q}"
        " --figures {input.figures:q} --output {output:q} 2> >(tee {log:q} >&2)"
