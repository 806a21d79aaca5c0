"""What a run consists of: the checked configuration, and the files that follow from it."""
