"""What is known of every solver without its code: its name, its settings, where it runs, its files."""
