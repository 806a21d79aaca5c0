# Tune: find the settings of this machine.
#   in   results/tune/<machine>/tune-<setting>/<graph>.jsonl, which measure-tune-<setting> writes (measure.smk)
#   out  results/tune/<machine>.yaml: settings that are faster than the solvers' own, which later runs use
#        results/tune/<machine>/tune-<setting>.{svg,png,md}: time against the setting
#   1    tune: compare all values


rule tune:
    """Compare the values of each setting of `machines`, and write those that are faster on the whole."""
    input:
        records=TUNING.measured(*TUNING.experiments),
        sentences=f"{TEMPLATES}/figures.yaml",
        script=STAGE,
        code=stage_code("tune"),
    output:
        settings=tuned_file(PLAN.config.machine),
        figures=expand(
            "{folder}/{experiment}.{form}",
            folder=TUNING.own_records,
            experiment=TUNING.experiments,
            form=["svg", "png", "md"],
        ),
    log:
        "logs/tune.log",
    conda:
        ENVIRONMENT
    params:
        job=words_of(settings=list(PLAN.config.tuning), machine=PLAN.config.machine),
        folder=lambda wildcards, output: str(Path(output.settings).with_suffix("")),
    message:
        f"Find the settings of {PLAN.config.machine}"
    shell:
        "python {input.script:q} tune {params.job:q} --records {input.records:q}"
        " --figures {params.folder:q} --output {output.settings:q} 2> >(tee {log:q} >&2)"
