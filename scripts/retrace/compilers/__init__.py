"""Compilers: C++ and CUDA files become shared libraries and cubins, each once."""
