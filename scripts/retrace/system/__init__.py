"""Access to the operating system and the checkout: files, memory, processes, errors."""
