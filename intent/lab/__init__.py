"""The embedded lab: an NVUE server for thousands of switches. It judges with its own walker, merge and diff."""
