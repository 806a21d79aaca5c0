"""Write the JSON Schemas in workflow/schemas/ from the models: make schemas."""

from __future__ import annotations

from retrace.graphs.dataset_registry import DatasetRegistry
from retrace.planning.configuration import Configuration
from retrace.records.record import Record
from retrace.reports.printed import PrintedNumber
from retrace.reports.report import Report
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole
from retrace.system.models import schema
from retrace.system.project import ROOT

MODELS = {
    "config": Configuration,
    "datasets": DatasetRegistry,
    "record": Record,
    "report": Report,
    "printed-number": PrintedNumber,
}
"""The model of each schema."""


def main() -> None:
    """Write every schema."""
    OneLineParser(description=__doc__).parse_args()
    for name, model in MODELS.items():
        write_whole(ROOT / f"workflow/schemas/{name}.schema.yaml", schema(model))


if __name__ == "__main__":
    run_command(main)
