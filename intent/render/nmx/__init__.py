"""Artefacts for NVIDIA NMX-M."""
