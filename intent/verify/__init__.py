"""Live observations judged against the fabric: checks, their public api, snapshots, verdicts."""
