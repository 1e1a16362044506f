"""The public functions: any data in, a frozen result out."""
