"""Publishing: tables and figures from published numbers and records."""
