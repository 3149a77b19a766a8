"""Teaching the eyes on drawn tables: `make train`.

First the network that looks at every cell, in two goes; then the one that looks closer
at what the first is not sure of. The weights that come with the program were learnt so,
but not in one piece, for the lessons grew meanwhile: a lamp's image that drowns a peg,
often met, teaches that no peg is ever surely white. The first network had its two goes
with larger and more lamps, and two more of 7,000 and 5,000 steps with fewer, the mean
kept each time. The closer look had goes of 13,700 steps in all with two maps of
attention, was widened to four without changing what it said, and learnt for 12,000
more, the last 4,000 above the first network as it is now.
"""
