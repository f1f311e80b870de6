"""Rules over the document and the compiled fabric. Each finds one kind of mistake and says what to do."""
