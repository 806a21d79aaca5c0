"""The audit: how far the comparisons of Retrace hold, computed from the committed records alone."""
