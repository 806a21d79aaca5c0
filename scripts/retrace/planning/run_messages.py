"""How a run's messages read: a line for a job, one error once, a dry run on one screen.

Snakemake says more. `--verbose` shows all of it; `--quiet host` shows why each job runs.
"""

import logging
import re
import textwrap
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from itertools import takewhile
from typing import Any

from snakemake.logging import DefaultFormatter, get_event, is_quiet_about, logger
from snakemake_interface_logger_plugins.common import LogEvent

from retrace.reports.wording import plural
from retrace.system.interrupts import was_interrupted

STEPS = (
    "Assuming unrestricted shared", "Building DAG of jobs", "Using shell", "Provided ", "Rules claiming",
    "Select jobs to execute", "Execute ", "Shutting down", "Exiting because a job", "Terminating processes",
    "Removing output files of", "Complete log", "Elapsed time", "Cleaning up SLURM log",
    "No job memory information",  # profiles/slurm leaves all of a node's to a timed job
)  # fmt: skip
"""Beginnings of what Snakemake and its plugins say of their own work."""
REASONS = ("Reasons:", "Some jobs were triggered by provenance", "Rules with provenance triggered jobs")
CHARACTERS = 110


def shorten(names: Iterable[str], dry: Callable[[], bool]) -> None:
    """Let Snakemake print in fewer words. `names` can be asked for; `dry` says whether this is a dry run."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and logger.level > logging.DEBUG:
            handler.setFormatter(RunFormatter(handler.formatter.quiet, frozenset(names), dry))
            logging.raiseExceptions = False  # a log on a full disk would hide all else behind tracebacks


class RunFormatter(DefaultFormatter):  # type: ignore[misc]
    """Formats the records of Snakemake's logger."""

    def __init__(self, quiet: Collection[Any], names: Collection[str], dry: Callable[[], bool]) -> None:
        super().__init__(quiet)
        self.names, self.dry, self.reasons = names, dry, not is_quiet_about(quiet, "reason")
        self.jobs: dict[int, str] = {}
        self.planned: dict[str, list[str]] = defaultdict(list)
        self.ending = ""

    def format(self, record: logging.LogRecord) -> str:
        """Return the words of a record; none if there is nothing to say."""
        text = str(super().format(record))
        if get_event(record) is LogEvent.ERROR:
            return self.format_exception(text, record.__dict__.get("exception", ""))
        return "" if text.startswith(STEPS if self.reasons else STEPS + REASONS) else text

    def format_job_info(self, msg: dict[str, Any]) -> str:
        """Say what a job does; in a dry run all jobs are told together."""
        self.jobs[msg["jobid"]] = told = msg["rule_msg"] or msg["rule_name"]
        if self.dry() and not self.reasons:
            self.planned[self.kind(msg["rule_name"])].append(told)
            return ""
        reason = f"\n    Reason: {msg['reason']}" if self.reasons else ""
        return f"[{time.strftime('%H:%M:%S')}] {told}{reason}"

    def format_run_info(self, msg: dict[str, Any]) -> str:
        """Say how many jobs there are, which a dry run does before and after it has listed them."""
        if self.dry() and not self.jobs:
            return ""
        return "\n".join([plural(msg["stats"]["total"], "step"), *map(in_one, self.planned.values())])

    def format_job_finished(self, msg: dict[str, Any]) -> str:
        """Say nothing: the number of steps that are done follows."""
        return ""

    def format_job_error(self, msg: dict[str, Any]) -> str:
        """Name the job that failed, which has said itself why; on a cluster, the batch system says it."""
        if was_interrupted():
            return ""
        told = self.jobs.get(msg["jobid"], msg["rule_name"])
        why = (
            " ".join(str(msg["rule_msg"]).partition("\n    ")[0].split()) if msg["rule_msg"] else self.ending
        )
        return f"Failed: {told} ({why}); all that it said is in {', '.join(msg['log'])}"

    def format_exception(self, text: str, kind: str) -> str:
        """Return what Snakemake says of an exception, unless the job or the closing words say it."""
        if was_interrupted() or kind == "KeyboardInterrupt":
            return ""
        if kind == "RuleException" and (ending := re.search(r"(exit status \d+|died with .+)\.\s*$", text)):
            self.ending = ending[1]
            return ""
        if missing := re.match(r"MissingRuleException:\nNo rule to produce (.+) \(if you use", text):
            return f"error: {no_target(missing[1], self.names)}"
        return "" if "At least one job did not complete successfully" in text else text

    def kind(self, rule: str) -> str:
        """Return what a rule shares with others: `measure` of `measure-table-3.3`, but all of a target's."""
        return rule if rule in self.names else rule.partition("-")[0]


def no_target(asked: str, names: Collection[str]) -> str:
    """Say that there is no such target or file, and which one is near."""
    near = get_close_matches(asked, sorted(names), 1)
    advice = f"did you mean {near[0]}?" if near else "README.md lists them under Targets"
    return f"there is no target {asked!r}; {advice}"


def in_one(messages: list[str]) -> str:
    """Return messages that begin alike as one: `Get the graph: NY, NW`."""
    if len(messages) == 1:
        return f"  {messages[0]}"
    each = zip(*(message.split() for message in messages), strict=False)
    shared = " ".join(words[0] for words in takewhile(lambda words: len({*words}) == 1, each))
    rest = sorted(message.removeprefix(shared).strip() for message in messages)
    told = f"{shared}: {('; ' if any(', ' in one for one in rest) else ', ').join(rest)}"
    return textwrap.fill(f"  {told}", CHARACTERS, subsequent_indent="    ", break_on_hyphens=False)
