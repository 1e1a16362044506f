"""What a repository holds: records, vocabularies, populations, keys and signed submissions."""
