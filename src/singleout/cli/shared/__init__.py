"""What commands share: options, the data they read, what they write, progress, how they end."""
