"""What a switch refuses at apply, by subject."""
