"""What rounding observed columns more or less finely would reveal."""
