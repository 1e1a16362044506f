"""Tables in this process's memory, counted by the compiled kernels."""
