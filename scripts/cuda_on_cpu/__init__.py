"""CUDA kernels on a CPU: runs `.cu` files without a GPU, and finds their races and faults."""
