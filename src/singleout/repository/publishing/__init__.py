"""From data to a record that may be published."""
