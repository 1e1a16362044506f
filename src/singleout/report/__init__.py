"""Results written down: plain content into one HTML file that needs nothing else."""
