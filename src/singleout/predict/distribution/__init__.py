"""How people spread over cells: what every prediction starts from."""
