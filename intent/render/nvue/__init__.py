"""Spectrum switches: the fabric as NVUE trees."""
