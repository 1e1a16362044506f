"""What a store keeps: tables, the statements that read and write them, and what is read."""
