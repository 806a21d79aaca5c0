"""What a run prints of a job that fails or is interrupted: its log, in one line; and how to go on."""

import logging
from typing import Any

from snakemake.logging import DefaultFormatter, logger

from retrace.system.interrupts import is_interrupted


def parting_words() -> str:
    """Say that the run did not come to its end, and how to go on."""
    how = "was interrupted" if is_interrupted() else "stopped early"
    return f"\nRetrace: the run {how}; the same command resumes where it stopped."


def name_the_log() -> None:
    """Let Snakemake say of a job that fails where all is that it said; `--verbose` still shows the rest."""
    logging.raiseExceptions = False  # a log on a full disk would hide all else behind tracebacks
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and logger.level > logging.DEBUG:
            handler.setFormatter(FailureFormatter(handler.formatter.quiet))


class FailureFormatter(DefaultFormatter):  # type: ignore[misc]
    """Formats the records of Snakemake's logger."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the words of a record; none of an exit status, since the job or Ctrl-C said why it ended."""
        text = str(super().format(record))
        if is_interrupted() and text.startswith("WorkflowError:\nAt least one job"):
            return ""
        return "" if text.startswith("RuleException:\nCalledProcessError") else text

    def format_job_error(self, msg: dict[str, Any]) -> str:
        """Name the job, on a cluster what the batch system says, and the log."""
        reason = str(msg["rule_msg"] or "").partition("\n    ")[0]
        job = f"job {msg['jobid']} ({msg['rule_name']})"
        logs = ", ".join(msg["log"])
        what = "Interrupted" if is_interrupted() else "Failed"
        return f"{what}: {': '.join(filter(None, [job, reason]))}; all that it said is in {logs}"
