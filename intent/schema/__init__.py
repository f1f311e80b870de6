"""What a person may write: models, the loader that keeps every value's place, JSON Schema export. Nothing derived."""
