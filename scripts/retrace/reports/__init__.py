"""The five reports as data, the frame that holds their numbers beside measured ones, and the judging of claims."""
