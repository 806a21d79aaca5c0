"""Write the one page of all results from the committed records, without a run."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from retrace.planning.configuration import committed_records, project_configuration
from retrace.planning.plan import Plan
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import caption
from retrace.publish.panels import FigureContent
from retrace.publish.report_page import make_page
from retrace.reports.frame import read_frames
from retrace.reports.report import Report, load_reports, report_paths
from retrace.system.files import write_whole
from retrace.system.project import ROOT
from retrace.system.stage import Stage


class MakeSite(Stage):
    """Write the one page of all results from the committed records alone: no graph, no GPU and no run."""

    output: Path = ROOT / "results/site"
    """Folder, to be published as it is; the page is its index.html."""
    repository: str = Field("", pattern="^(https?://.+)?$")
    """Address of the repository, which the page says to clone."""

    def run(self) -> None:
        """Draw the figures and write the page."""
        reports, frame = read_frames(report_paths(), committed_records())
        measured = {entry.experiment for entry in frame.measured}
        drawn = Plan(*project_configuration(), load_reports(), "cuda", None).figures
        owners = owners_of_figures(reports)
        with TemporaryDirectory() as folder:
            names = [name for name, experiment in drawn.items() if experiment in measured]
            for name in names:
                content = FigureContent(drawing_of(owners.get(name), name), frame, owners.get(name))
                (Path(folder) / f"{name}.svg").write_bytes(image(draw(content), "svg"))
                (Path(folder) / f"{name}.md").write_text(caption(content), encoding="utf-8")
            figures = [Path(folder) / f"{name}.svg" for name in names]
            page = make_page(reports, frame, figures, repository=self.repository)
        write_whole(self.output / "index.html", page)
        print(self.output / "index.html")


def owners_of_figures(reports: Sequence[Report]) -> dict[str, Report]:
    """Return the report that draws each figure, or that names the experiment whose figure none draws."""
    named = {name: report for report in reports for name in report.experiments}
    return named | {name: report for report in reports for name in report.figures}
