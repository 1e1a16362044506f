"""How results look on the screen, where a command has much to show."""
