"""A real OpenSM on a simulated fabric behind a UFM of the lab."""
