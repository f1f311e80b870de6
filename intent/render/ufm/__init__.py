"""Artefacts for NVIDIA UFM."""
