"""Artefacts for hosts that run OpenSM."""
