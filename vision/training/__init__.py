"""Teaching the eyes on drawn tables: `make train`.

The weights that come with the program are the mean of three late states of a training
that grew with this code: 12,000 steps, then 6,000, 6,000, 8,000 and 6,500 more, each
with what was missing before (names as hints, lamps without white balance, mirror
images). `make train` learns in one go what they learnt in five.
"""
