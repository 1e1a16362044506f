"""What the measures mean: scales, the plan, and the assessment of a table."""
