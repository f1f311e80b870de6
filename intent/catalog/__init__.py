"""Hardware and release facts as data files with sources, and typed readers."""
