"""What the library asks of the operating system and the checkout: files, memory, processes, errors."""
