"""The routes of the service, by what they are for."""
