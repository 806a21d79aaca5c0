"""Retrace: from experiments.yaml to tables and figures. workflow/rules/ has a file for each stage, in the order of a run."""

import sys
from pathlib import Path

from snakemake.utils import min_version

ROOT = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=False))).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
from retrace.system import interrupts, job_python

interrupts.end_in_one_line()
# A Snakemake from elsewhere lacks the library's packages: jobs then run in .venv.
JOB_PYTHON = job_python.python_for_jobs(ROOT)
from retrace.planning import failures, plan, summary
from retrace.planning.configuration import check_files, tuned_file
from retrace.planning.plan import one_of
from retrace.system import project, runs
from cuda_device.errors import OneLineError
from retrace.system.project import imports, stage_code

from retrace.system.stage import words_of

min_version("9.0")
CONFIGURED = [ROOT / "config.yaml", ROOT / "experiments.yaml"]
try:
    check_files([*CONFIGURED, *workflow.config_settings.configfiles])
except OneLineError as error:
    sys.exit(f"error: {error}")


configfile: str(CONFIGURED[0])
configfile: str(CONFIGURED[1])


try:
    # which files this run makes, and from which records, kernels and modules
    PLAN = plan.make_plan(config)
    TUNING = PLAN.tuning
    RULES_OF_PACKAGES = plan.rule_files()
except OneLineError as error:
    sys.exit(f"error: {error}")

# The project's folder relative to the working folder, so that `snakemake --directory` works.
SCRIPTS = project.path("scripts")
STAGE = project.path("scripts/stage.py")
KERNELS = project.path("kernels")
TEMPLATES = project.path("workflow/templates")
MARGINS = project.path("results/repeatability.csv")
# What jobs need, for users of conda.
ENVIRONMENT = f"{ROOT}/workflow/envs/retrace.yaml"


# Each job runs this project's Python, and is killed together with Snakemake.
# With --software-deployment-method conda that is the Python of workflow/envs/.
by_conda = "conda" in map(str, workflow.deployment_settings.deployment_method)
shell.prefix(runs.shell_prefix(None if by_conda else JOB_PYTHON))


report: "workflow/report/workflow.rst"


# The caps of profiles/default are those of a computer: on a cluster, each node has its own GPU.
resource_scopes:
    gpu="local",
    emulator="local",


wildcard_constraints:
    experiment=one_of([*PLAN.experiments, *TUNING.experiments]),
    dataset=one_of(PLAN.datasets),
    report=one_of(PLAN.reports),


include: "workflow/rules/graphs.smk"
include: "workflow/rules/build.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/publish.smk"


for rules in RULES_OF_PACKAGES:

    include: rules


rule all:
    default_target: True
    input:
        PLAN.targets.values(),
    message:
        "All tables and figures are there"


# A target for each table, figure and report: snakemake --cores 4 table-3.3. Two are rules already.
RULES = {rule.name for rule in workflow.rules}
OWN_RULES = {"verification", "page"}
for name, files in PLAN.targets.items():
    if name in RULES - OWN_RULES:
        sys.exit(
            f"error: config.experiments: {name} names a rule; expected another name"
        )
    if name not in OWN_RULES:

        rule:
            name:
                name
            input:
                files,
            message:
                f"{name} is there"


failures.name_the_log()


onstart:
    interrupts.end_like_ctrl_c()  # by itself, Snakemake waits for its jobs to finish
    here = workflow.local_exec
    if here:
        # With a limit on jobs per second, Snakemake plans anew each second, and once more for each job that has ended.
        workflow.scheduler.job_rate_limiter = None
    try:
        plan.check_place(PLAN, here, workflow.resource_settings.cores)
        runs.take_lock(Path(".snakemake/retrace.lock"))
        job_python.make_environment(ROOT, JOB_PYTHON)
        if told := plan.warning(PLAN):
            print(told, file=sys.stderr)
    except OneLineError as error:
        sys.exit(f"error: {error}")


onsuccess:
    files = {
        str(file) for job in workflow.dag.jobs for file in (*job.input, *job.output)
    }
    print(summary.closing_words(PLAN, files))
    if fault := summary.fault(PLAN, files):
        sys.exit(f"error: {fault}")


onerror:
    print(failures.parting_words())
