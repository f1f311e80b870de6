"""One rule per file; the docstring of each is its page in the documentation."""
