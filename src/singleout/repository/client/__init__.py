"""A repository as a user sees it: a local file or a URL."""
