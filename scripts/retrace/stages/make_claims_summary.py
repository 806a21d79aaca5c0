"""Count the claims of all reports by verdict."""

from pathlib import Path

from retrace.publish import verdicts
from retrace.publish.page import write_page
from retrace.system.models import Some
from retrace.system.stage import Stage


class MakeClaimsSummary(Stage):
    """Count the claims of all reports, by the tables of their claims, as CSV, Markdown and HTML."""

    claims: Some[Path]
    """CSV files of claims."""
    output_prefix: str
    """Path without .csv, .md, .html."""

    def run(self) -> None:
        """Count, and write the three files."""
        write_page(self.output_prefix, *verdicts.count_claims(self.claims))
