"""What lowers the risk: each treatment says what it did and what it achieved."""
