"""The chance that everybody, or one person, is unique."""
