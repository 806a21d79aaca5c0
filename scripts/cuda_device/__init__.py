"""What code that launches CUDA kernels sees of any device: the interface, limits and errors."""
