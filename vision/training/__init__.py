"""Teaching the eyes on drawn tables: `make train`.

First the network that looks at every cell, in two goes; then the one that looks closer
at what the first is not sure of. The weights that come with the program were learnt so,
but not in one piece. The first network's two goes had fewer lamps mirrored in pieces,
and the first of them knew nothing yet of noise in the dark. The closer look was learnt
in five goes of 13,700 steps in all: the first two, of 5,000, above other weights of the
first network; the fourth, of 1,900, half without being told what that thought; the
last, of 5,800, is the one that `vision.training.closely` says.
"""
