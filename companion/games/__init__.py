"""Which games exist, written out by hand."""
