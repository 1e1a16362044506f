"""The Merkle log of a repository (RFC 9162): nothing is changed or removed unnoticed."""
