"""Reports that draw curves without numbers: their figures from records, and whether their words hold."""
