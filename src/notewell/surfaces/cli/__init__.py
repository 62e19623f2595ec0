"""The command line: one module for each family of commands, imported when one of them is called."""
