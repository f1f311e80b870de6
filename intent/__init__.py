"""intent: one declarative description of an AI factory's networks, compiled, proven and carried out."""

__version__ = "0.1.0"
