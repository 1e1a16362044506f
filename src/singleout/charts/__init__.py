"""Pictures of results: each shows one thing, says it in its title, and reads in black and white."""
