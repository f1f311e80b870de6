"""The command: one module per command; parse options, call one function, print, choose the exit code."""
