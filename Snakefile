"""Retrace: from config.yaml to tables and figures. The stages are in workflow/rules/, in the order they run."""

import sys
from pathlib import Path

from snakemake.utils import min_version

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))
from retrace.planning import configuration, plan, printed
from retrace.system import project, runs
from retrace.system.errors import RetraceError

min_version("9.0")


configfile: f"{workflow.basedir}/config.yaml"


try:
    PLAN = plan.make(config)
except RetraceError as error:
    sys.exit(f"error: {error}")

SCRIPTS = project.path("scripts")

# No job measures on beside the next run after this one was killed.
shell.prefix(runs.shell_prefix())


report: "workflow/report/workflow.rst"


wildcard_constraints:
    experiment="|".join(PLAN.experiments),
    graph="|".join(
        [*PLAN.datasets, configuration.RANDOM_GRAPH, configuration.DENSE_GRAPH]
    ),
    backend="cuda|emulator|host",
    # a constraint of no words would be none
    measured_table="|".join(PLAN.measured_tables) or "none",
    measured_figure="|".join(PLAN.measured_figures) or "none",
    claiming_report="|".join(PLAN.reports) or "none",


include: "workflow/rules/graphs.smk"
include: "workflow/rules/build.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/publish.smk"


rule all:
    default_target: True
    input:
        PLAN.targets.values(),
    message:
        "All tables and figures are there"


# All files of a table, a figure or a report by one name: snakemake --cores 4 table_3_3. The verification's rule has
# it already.
for name, files in (PLAN.targets | PLAN.report_targets).items():
    if name != "verification":

        rule:
            name:
                plan.rule_name(name)
            input:
                files,
            message:
                "{input} are there"


onstart:
    try:
        runs.take_lock(Path(".snakemake/retrace.lock"))
    except RetraceError as error:
        sys.exit(f"error: {error}")


onsuccess:
    print(PLAN.closing_words())


onerror:
    print(
        "Retrace: the run stopped at the error above; the same command resumes where it stopped."
    )
