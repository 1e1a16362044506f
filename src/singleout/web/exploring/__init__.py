"""What the page Explore measures: a view for each question that a function answers."""
