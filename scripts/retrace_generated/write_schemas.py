"""Write workflow/schemas/ from the models and the solvers."""

import json
from contextlib import suppress
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter

from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
from retrace.graphs.dataset_registry import DatasetRegistry
from retrace.planning.configuration import Configuration
from retrace.records.record import Record
from retrace.reports.printed import PrintedNumber
from retrace.reports.report import Report
from retrace.solvers import Setting, Solver, all_solvers
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.models import Model, field_texts
from retrace.system.project import CATALOGUE_FILE, ROOT
from retrace.system.solver_packages import is_outside
from retrace.system.stage import Stage

MODELS: dict[str, type[BaseModel]] = {
    "config": Configuration,
    "datasets": DatasetRegistry,
    "record": Record,
    "report": Report,
    "printed-number": PrintedNumber,
}
"""The model of each schema."""


class WriteSchemas(Stage):
    """Write workflow/schemas/: the models' JSON Schemas, and the solvers that classes declare."""

    def run(self) -> None:
        """Write every schema, and the solvers."""
        for name in MODELS:
            write_whole(ROOT / f"workflow/schemas/{name}.schema.yaml", as_yaml(schema(name)))
        write_whole(ROOT / CATALOGUE_FILE, solvers_as_json())


def schema(name: str) -> dict[str, Any]:
    """Return a model's JSON Schema; that of records names every setting that a solver declares."""
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **MODELS[name].model_json_schema()}
    models = {model.__name__: model for model in below(Model)}
    for part in (document, *document.get("$defs", {}).values()):
        fields = part.get("properties", {})
        texts = field_texts(models[part["title"]]) if fields else {}
        for key in fields.keys() & texts.keys():
            fields[key] = dict(sorted({**fields[key], "description": texts[key]}.items()))
    if name == "record":
        document["properties"]["parameters"]["properties"] = {
            key: of_setting(setting) for key, setting in sorted(settings_of_all_solvers().items())
        }
    return document


def solvers_as_json() -> str:
    """Return the project's solvers as JSON, each in a line of its own, without values that most have."""
    adapter = TypeAdapter(list[KnownSolver])
    solvers = adapter.dump_python(known_solvers_of_project(), mode="json", exclude_defaults=True)
    return "[\n" + ",\n".join(json.dumps(solver, ensure_ascii=False) for solver in solvers) + "\n]\n"


def project_solvers() -> list[type[Solver]]:
    """Return the classes of all registries that are no package's from outside the project."""
    return [kind for kind in all_solvers() if not is_outside(kind.__module__)]


def known_solvers_of_project() -> list[KnownSolver]:
    """Return the project's solvers in the file's order, new ones last, as their classes declare them.

    A solver whose package is not there stays as the file has it, so that its records can be read.
    """
    declared = {kind.name: kind.as_known() for kind in project_solvers()}
    with suppress(RetraceError):  # the file may be what is written anew
        listed = CATALOGUE.listed
        kept = {name: solver for name, solver in listed.items() if name in declared or not solver.is_there}
        declared = {**kept, **declared}
    return list(declared.values())


def settings_of_all_solvers() -> dict[str, Setting]:
    """Return the declaration of every setting of the project's solvers, by key, for the schema of records.

    Solvers that share a setting differ in its default only; that of the first one is returned.
    """
    settings: dict[str, Setting] = {}
    for solver in known_solvers_of_project():
        settings |= {key: setting for key, setting in solver.settings.items() if key not in settings}
    return settings


def below(model: type[Model]) -> list[type[Model]]:
    """List the models that a model is the base of."""
    return [descendant for kind in model.__subclasses__() for descendant in (kind, *below(kind))]


def of_setting(setting: Setting) -> dict[str, Any]:
    """Return the JSON Schema of a setting: its choices, or the bounds of an integer."""
    if setting.choices:
        return {"description": setting.meaning, "enum": list(setting.choices)}
    return {
        "description": setting.meaning,
        "type": "integer",
        "minimum": setting.least,
        "maximum": setting.most,
    }


def as_yaml(document: dict[str, Any]) -> str:
    """Return a schema as the text of a file."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
