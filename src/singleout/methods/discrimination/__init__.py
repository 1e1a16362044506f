"""The discrimination rate: how far some columns tell a sensitive one. Sondeck and Laurent."""
