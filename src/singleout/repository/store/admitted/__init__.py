"""What a store admits: the decision about a submission, its budget, and its plausibility."""
