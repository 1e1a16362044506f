"""Find steps that meet a policy with the least loss."""
