"""What outlives a run: the project with all that it takes from the network; what its results are."""
