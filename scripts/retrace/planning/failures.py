"""What a run prints of a job that fails: its log, in one line, in place of its inputs and its command."""

import logging
from typing import Any

from snakemake.logging import DefaultFormatter, logger


def name_the_log() -> None:
    """Let Snakemake say of a job that fails where all is that it said; `--verbose` still shows the rest."""
    logging.raiseExceptions = False  # a log on a full disk would hide all else behind tracebacks
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and logger.level > logging.DEBUG:
            handler.setFormatter(FailureFormatter(handler.formatter.quiet))


class FailureFormatter(DefaultFormatter):  # type: ignore[misc]
    """Formats the records of Snakemake's logger."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the words of a record; none of a command's exit status, since the job said why it ended."""
        text = str(super().format(record))
        return "" if text.startswith("RuleException:\nCalledProcessError") else text

    def format_job_error(self, msg: dict[str, Any]) -> str:
        """Name the job, on a cluster what the batch system says, and the log."""
        reason = str(msg["rule_msg"] or "").partition("\n    ")[0]
        job = f"job {msg['jobid']} ({msg['rule_name']})"
        logs = ", ".join(msg["log"])
        return f"Failed: {': '.join(filter(None, [job, reason]))}; all that it said is in {logs}"
