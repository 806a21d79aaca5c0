"""Retrace: five published CUDA graph reports, run again, checked and measured."""
