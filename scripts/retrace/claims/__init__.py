"""Reports that print no numbers: their figures from records, and whether their words hold."""
