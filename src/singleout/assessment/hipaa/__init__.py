"""The identifiers of HIPAA's Safe Harbor that data holds. 45 CFR 164.514(b)(2)(i)."""
