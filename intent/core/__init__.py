"""Ground floor: diagnostics, spans, trees, ranges, units, verdicts and exit codes. Imports nothing of ours."""
