"""Local recoding: each class of records has its own levels."""
