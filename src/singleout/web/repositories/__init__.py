"""What the pages Repository ask of a repository, in the process beside a workspace or in a job."""
