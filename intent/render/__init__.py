"""Fabric to artefacts, one subfolder per target. No I/O."""
