"""What readers see: tables, charts and pages, as views of the frame."""
