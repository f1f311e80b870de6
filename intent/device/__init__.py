"""Sessions with devices: one HTTP seam, NVUE, the Nornir inventory, secrets. Takes compiled values, never a workspace."""
