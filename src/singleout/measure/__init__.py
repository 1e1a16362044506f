"""What the data in hand reveals: each method is a pure function of counts."""
