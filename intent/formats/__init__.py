"""Pure readers and writers of foreign formats."""
