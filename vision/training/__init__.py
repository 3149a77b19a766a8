"""Teaching the eyes on drawn tables: `make train`.

First the network that looks at every cell, in two goes; then the one that looks closer
at what the first is not sure of. The weights that come with the program were learnt so,
but not in one piece: the first go knew nothing yet of noise in the dark, both had fewer
lamps mirrored in pieces, and the closer look was learnt in four goes of 3,500, 1,500,
and 7,500 steps, the last of them above the weights that are kept of the first network.
"""
