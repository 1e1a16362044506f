"""An assessment as the content of a report, as JSON and for the PIA software."""
