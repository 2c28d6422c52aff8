"""Fuzzing: every reader of files from elsewhere, and the core, under damaged and hostile input."""
