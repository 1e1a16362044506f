"""Search of a generalisation lattice: the node that meets a policy and loses least."""
