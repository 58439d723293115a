"""From the model to files: `dump` writes them all, and each other module knows one kind of file."""
