"""The log of a repository: a Merkle tree and its signed heads. RFC 9162."""
