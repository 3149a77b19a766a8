"""Teaching the eyes on drawn tables: `make train`.

The weights that come with the program were learnt in these two goes; the first one knew
nothing yet of noise in the dark, and lamps were mirrored in fewer photos (30 %).
"""
