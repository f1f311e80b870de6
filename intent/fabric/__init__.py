"""The compiled, vendor-neutral fabric: devices, ports, links, allocation and its lock."""
