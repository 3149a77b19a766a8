"""Teaching the eyes on drawn tables: `make train`."""
