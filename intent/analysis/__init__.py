"""What can be computed about a fabric without asking it: routes, flows, buffers, failures."""
