"""A user's workspace: where things lie, and the one way from files to artefacts."""
