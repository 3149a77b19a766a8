"""Teaching the eyes on drawn tables: `make train`.

First the network that looks at every cell, in two goes; then the one that looks closer
at what the first is not sure of. The weights that come with the program were learnt so,
but not in one piece, for lessons and networks grew meanwhile. Their first 49,000 and
25,700 steps were on smaller photos, of pieces that mirrored lamps dully, and with
convolutions that saw all channels. Then each convolution was given half as many sums
of them, those that tell most (principal components of what it saw, weighted by what it
made of it), and they went on at a rate of 1e-3 with 672 tables of polished pieces: the
network for 18,000 steps, the closer look for 12,000; of that the mean of before and
after was kept, which is as often right and less often wrong. Half of all chips lay
turned over until then, so where a face was hard to see, both took it for a back. With
720 tables on which chips lie as in games, the network learnt 16,000 steps more, 10,000
others when some photos were badly exposed, and the closer look 7,000. With 330 tables
more, the network learnt 18,000 steps, of which again the mean of before and after was
kept, and the closer look 8,000: as often right as before, less often wrong. As tables
that were learnt from are read no better than others, more steps will not do. Nor did
twice the pixels along each side and a wider closer look, taught for 11,000 steps. With
509 tables of which mirrored light was taken off, and a glare more in a quarter of the
photos in other light, the network learnt 3,000 and the closer look 4,000 steps at a
rate of 7e-4; the mean of before and after is again as often right as after, and less
often wrong. With 431 tables more, and pieces of other photos remembered beside the
samples in half of the lessons, 8,000 and 10,000 steps at 1e-3 made neither better, nor
are two pairs of networks that answer together: what is still missed they all miss.
Of these lessons with strong sun and white mirrors added, 6,000 steps of each at 1e-3
were too few: pegs by a dim lamp were less sure. With other tone curves and whiter
mirrors the network learnt 11,000 steps more and the closer look 12,000; with 100 tables
more, drawn in the harder light, where a fifth of the photos show how games begin, 9,000
and 8,000 at 8e-4. The means of before and after these last are kept: with them there
are half as many wrong squares in the harder light, and fewer that are unknown. With
other colour matrices, more and less colour and more tone curves in the lessons, 18,000
and 12,000 steps more made pegs by a dim lamp less sure, and what less colour does to
them no better: what is taken for a pale peg is then its shadow. Until then a turned
chip was seldom alone in a photo, and one that was cost 0.057 nats where one of six cost
0.002: the eyes had learnt how games go, which is for referees to say. With 320 tables
more, where in two photos of five one chip is turned over, or back, and these twice
among 640 of the others, 8,000 and 7,000 steps at 8e-4 brought that to 0.024, and the
mean of before and after to 0.035: boards are as often right as before, and fewer
squares wrong. All boards had been of one kind: light card faces or badges on a ground
of one colour, under plain chips. On a chequered, striped, dark or photographed board,
or under chips with spots or an emblem, three boards of four were not read, and 32 of
10,000 squares surely wrong. With 320 tables of such kinds, twice, among 720 of the
others, and where light is told from chequers, the network learnt 12,000 steps and the
closer look 8,000 at 1e-3; then the network, from the mean of before and after, 4,000 at
5e-4, where whose a turned chip is counted as much as all else. Weights of before and
after were mixed again (as in Wortsman and others 2022, Robust fine-tuning of zero-shot
models): two parts to one of the network, for half and half was less sure whose a turned
chip is, and one to one of the closer look. Nearly half of the strange boards are exact
with them, and of 1,600 others a dozen fewer than before.
"""
