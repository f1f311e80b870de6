"""Plan, waves, apply, journal, rollback, drift and history of changes, over any kind of device."""
