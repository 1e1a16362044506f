"""From records to answers: the nearest record, predictions, composition, decisions."""
