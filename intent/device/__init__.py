"""Sessions with devices: HTTP seam, NVUE, Nornir inventory, secrets. Takes compiled values, never a workspace."""
