"""The stages of a run: a module for each, and in it a class with the options of its command line."""
