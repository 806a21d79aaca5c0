"""Run a stage of the workflow, as a job or by hand: what `retrace stage` does, from the project itself."""

import sys

from retrace.system.errors import run_command
from retrace.system.stage import run_stage

if __name__ == "__main__":
    run_command(lambda: run_stage(sys.argv[1:]))
