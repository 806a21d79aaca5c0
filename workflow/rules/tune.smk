# Tune: find the settings of this machine.
#   in   results/tune/<machine>/tune-<setting>/<graph>.jsonl, which measure-tune-<setting> writes (measure.smk)
#   out  results/tune/<machine>.yaml: settings that are faster than the solvers' own, which later runs use
#        results/tune/<machine>/tune-<setting>.{svg,png,md}: time against the setting
#   1    tune: compare all values


rule tune:
    """Compare the values of each setting of `machines`, and write those that are faster on the whole."""
    input:
        records=TUNING.measured(*TUNING.experiments),
        script=f"{SCRIPTS}/tune.py",
        code=imports("tune.py"),
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
        settings=list(PLAN.config.tuning),
        machine=PLAN.config.machine,
        folder=lambda wildcards, output: str(Path(output.settings).with_suffix("")),
    message:
        "Find the settings of {params.machine}"
    shell:
        "python {input.script:q} --settings {params.settings:q} --records {input.records:q}"
        " --machine {params.machine:q} --figures {params.folder:q} --output {output.settings:q}"
        " 2> >(tee {log:q} >&2)"
