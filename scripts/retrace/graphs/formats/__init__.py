"""Graph files: DIMACS `.gr`, the reports' H/E format, SNAP edge lists, PACE `.gr` and Matrix Market.

Every format consists of a header and lines of integers, which a `LineLayout` describes. Two readers handle
them all: the slow one goes line by line, names the line at fault, and defines what is accepted; the fast one
accepts only plainly written pieces. Files may be gzipped, whatever their name. They are read and written in
pieces of whole lines, so that the whole text of a large file is never in memory.
"""
