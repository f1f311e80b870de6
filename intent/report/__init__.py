"""Renderings of results: text, tables, JSON, SARIF, JUnit, CSV, HTML. Nothing is decided here."""
