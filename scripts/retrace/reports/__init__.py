"""The five reports as data, their numbers beside measured ones in one frame, and the judging of claims."""
