"""Teaching the eyes on drawn tables: `make train`.

First the network that looks at every cell, then the one that looks closer at what the
first is not sure of: 860 tables, every other of a kind of its own, 28,000 and 14,000
steps, not quite two hours on two cores. Then both go on, 14,000 and 9,000 steps, with
those tables alone whose boards are chequered (`EmptyBoard.chequered`): most of an hour
more. All is kept in `build`. The last two, with what they learnt of backs later (see
below), are the program's eyes for chequered boards, `vision/pieces/*-chequered.npz`.
From these on, a third pair learns by Muon, 20,000 and 15,000 steps with 1,050 usual
tables, whose pegs have any shape, an hour and a half more: `*-pegs.npz`. Last, networks
learn from what all these doubt, and from the pieces beside it: one for boards of one
paper from tables that the eyes had learnt from, most of two hours, and on from that one
for chequered boards, from other tables, one and a half: `relation-*.npz`. For boards of
one paper the program has older eyes, `*-paper.npz`, which had more of everything; what
they doubt the third pair is asked. For high pieces both of these went on, three
quarters of an hour: `*-tall-paper.npz` and `*-tall-pegs.npz`. And two small ones learn
what is printed on chips: where their tops are (`tops.npz`), and which of two sides that
is (`prints.npz`), an hour and a half with all they need. One more learns the latter
from other tables (`prints-windows.npz`), an hour and a quarter.

On the 40 tables that are held back, in harder light than most games (131 photos of
usual boards, 116 of strange ones, none with hands), with samples and by the colours'
names, each pair alone, before there were pegs of any shape:

    ========================  ===============  =================  =================
    weights                   usual: exact, %  strange: exact, %  strange: wrong
    ========================  ===============  =================  =================
    for boards of one paper   83.2 and 74.8    30.2 and 18.1      31 and 31 squares
    `make train`, first part  58.8 and 46.6    35.3 and 21.6      8 and 13
    for chequered boards      58.0 and 46.6    39.7 and 31.0      30 and 26
    ========================  ===============  =================  =================

(21 of the 30 are on one table, by purple light, whose yellow chips are nearly red.)

The older weights learnt some 160,000 and 90,000 steps in many goes, while lessons and
networks grew, and not in one piece, so nobody can learn quite the same again. What
those goes taught:

* Photos. Half of all chips lay turned over at first; so where a face was hard to see,
  it was taken for a back. And a turned chip was seldom alone, so one that was cost
  0.057 nats where one of six cost 0.002: the eyes had learnt how games go, which is for
  referees to say. Now chips lie as in games, and in two photos of five one is turned
  over, or back.
* Light. Polished pieces, bad exposures, strong sun, white mirrors and other tone curves
  each had to be drawn to be read; with the last two half as many squares are wrong in
  hard light. Other colour matrices, and more or less colour, made pegs by a dim lamp
  less sure and nothing better: what is then taken for a pale peg is its shadow.
* Boards. When all had light faces on one ground, three of four chequered, striped, dark
  or photographed ones were not read, and 32 of 10,000 squares surely wrong; nearly half
  are exact since they are among the lessons, and fewer than 10 wrong.
* Sums. Each convolution is given half as many sums of its channels, those that tell
  most (principal components of what it saw, weighted by what it made of it).
* Means. Of weights before and after a go the mean is as often right as those after, and
  less often wrong (as in Wortsman and others 2022, Robust fine-tuning of zero-shot
  models).
* Steps. With Muon (Jordan and others 2024) instead of AdamW, at the same rate, on from
  the chequered weights with usual tables, 3,000 steps read more than 7,000 by AdamW
  (49.6 and 45.7 % of 256 held boards, the network alone), and all 20,000 as much as
  10,000 by AdamW on top of the older network's 160,000: 64.5 % (63.3). The closer look
  gained less: 71.5 % (76.6). From nothing, at three times the rate, a square cost 0.085
  nats after 1,500 steps instead of 0.143; but after 12,000, of a course of 38,000,
  boards were read no better. From nothing at twice the rate, with usual tables alone,
  24,000 and 16,000 steps: 59.8 % of the held boards by the network and 66.8 by both.
  As a third pair, asked last, they won no more than other views of the first two did.
* Few tables. Pegs with any head and stem came late: of boards with those the older
  network, by itself, read 54 %, after 9,000 steps on 127 tables 75 %. But beyond the
  lessons' tables it was too sure: in place of the older pair, of 128,000 squares 13 to
  28 were wrong instead of 6. Means of weights before and after, and 4,500 steps on 460
  tables, read no more than the older ones at as many wrong squares. With 1,050 tables
  it was as good as the older pair: 7 wrong and 443 unknown instead of 6 and 469.
* Nothing came of twice the pixels along each side with a wider closer look, of pieces
  of other photos remembered beside the samples, or of two pairs of networks of the same
  lessons that answer together: what is still missed they all miss. Tables that were
  learnt from are read no better than others.
* Two lessons. Pairs that learnt other boards doubt other squares, and are seldom wrong
  together. Of 1,280 drawn boards 92.7 % are exact and 4 squares wrong where a pair that
  went on from the older one answers its doubts (90.3 % and 6 with the one for chequered
  boards, which counted only where it said the same); of 448 drawn photos of strange
  chequered boards 69.2 % instead of 62.7, and 15 squares instead of 13.
* Other roots. The third pair, which went on from the chequered one, is by itself worse
  than one that had the same tables, but went on from the older pair (71.5 and 76.6 % of
  the held boards). Asked in doubt it is the better one, for it is wrong elsewhere: of
  2,080 drawn boards 93.1 % are exact instead of 92.7, 446 squares unknown instead of
  501, and 11 wrong either way; by names, of 800, 90.0 % instead of 89.2. It is no
  better in place of the older pair, if that is asked in doubt: 92.3 %, and 19 wrong.
* More of the same. The third pair went on with 1,050 other usual tables, 15,000 and
  11,000 steps by Muon. Its network then read as much as the older one: without a closer
  look 72.7 % of 960 drawn boards, 720 squares unknown and 5 wrong; the older one 71.9,
  830 and 3. But with the closer look 91.2 % and 9 wrong instead of 94.2 and 2. Asked in
  doubt it was no better than before: 93.5 % of the 2,080 boards and 12 wrong instead of
  93.6 and 8. By itself, learning at the table: 90.8 % of 1,280 boards and 13 wrong (the
  older pair 91.9 and 7). Another 17,000 steps of its closer look by AdamW: 90.5 and 14,
  the mean of both 90.9 and 16; neither steps nor the way to take them are what lacks.
* Three pairs. Asked beside the other two in doubt, that pair only moves along the line
  on which more is given and more is wrong: 93.4 % and 12, or 94.5 % and 18.
* Pieces beside. Of the cells that stayed in doubt on drawn boards 30 were looked at by
  eye, beside pieces of the same photo: 29 were told rightly, and of the networks' first
  guesses 22 were right. So there is more to be seen than they saw. So another network,
  with ten times as many sums (`vision.training.relate`), holds what is open against
  samples, names and up to four sure pieces of each look, the nearest ones. It learnt 70
  minutes, 13,000 steps by Muon, from 26,000 doubts of 700 usual tables, each in four
  lights. Of the 2,080 boards 95.1 % are exact instead of 93.6, 339 squares unknown
  instead of 424, and 9 wrong instead of 8; of strange boards 69.4 % instead of 67.3,
  and 18 wrong instead of 15. It had learnt its tables by heart by then (0.18 nats a
  doubt; 0.24 on others, 0.34 before), so more tables should help. The closer look by
  itself gains nothing from the nearest pieces in place of the surest: 93.6 % of 1,216
  boards and 6 wrong, before 93.5 and 5. Seen in eight views, it answers no more.
* Tables that no eyes had seen. What the eyes doubt on the tables that they learnt from
  is easier than what they doubt on others: their likeliest look is right for 93 % of
  such cells, and for 87. So that network went on with 660 usual and 330 strange tables
  of its own, 10,000 steps by Muon. On held-back strange tables its likeliest look is
  right for 83 % of doubts instead of 64, and of some 1,290 answers 14 are wrong instead
  of 52; so it is asked for chequered boards: of 448 drawn photos 74.1 % are exact and
  15 squares wrong. Another 3,500 steps with tables of one paper alone did not replace
  the older weights there. On held-back ones a doubt of usual tables cost 0.23 nats
  instead of 0.31, and 5 answers on strange ones were wrong instead of 24. But 94.7 % of
  the 2,080 usual boards were exact and 9 squares wrong, or by other temperatures 94.6
  and 8, 95.4 and 11, where the older ones have 95.1 and 9, 95.3 and 11; and in 30 games
  one was given up, 1.1 % of looks uncertain instead of 0.7, for it learnt to call what
  is strange covered. Means of weights before and after, and of what both say, gave
  nothing.
* What is left. Of the boards that are not exact even so, 32 squares were looked at by
  eye: 23 of 29 were told rightly (three were given up), and of the networks' first
  guesses 17. More than half of all that is open is on one table of 130, black pegs
  beside dark green ones. Nothing came of judging doubts by where the photo's other
  pieces of both looks lie, nor of the pair that went on with other tables in place of
  the older one: 94.0 % of the 2,080 boards and 26 wrong. Asked about more than ten
  cells of a photo, the last network gives 57 squares more, one of them wrong, and no
  board more is exact.
* Backs. Until late there were two, a label with two rings and a white one, both mostly
  with a word; and white was painted on faces where they mirror lamps. So on photos that
  a path tracer took of a table (`tests/traced`), yellow chips with plain labels were
  surely taken for faces: of 114 pieces 2 with samples, and 17 by names. Now most tables
  have backs of their own, and both pairs for boards of one paper went on by Muon, at a
  rate of 5e-4, with 310 such tables: the older one 3,000 steps of each network, the
  third 2,000. With all of that a blue chip that mirrors a lamp was no longer surely one
  by its name; with the mean of the weights before and after for the network that looks
  first it is, and none of the 114 is wrong. Of 480 drawn boards with such backs 93.5 %
  are exact and 2 squares wrong (before 91.3 and 11; without the mean 94.2 and 4), by
  names 90.0 % and 12 (85.6 and 143; 90.0 and 20). Of 384 with the two backs 94.5 % are
  exact and 2 squares wrong (95.1 and 1). It cost some photos with other colours than
  the calibration's: of 1,469 altered ones 97.3 % are exact and none wrong (98.7 and
  none). With 0.7 of what was learnt in the other networks it would be 98.0 %, but 4
  squares of the 480 drawn boards wrong.
* Backs on other boards. The pair for chequered boards went on likewise, 1,500 steps of
  each network with 350 strange tables; the mean with the weights before is kept. Of 224
  strange boards, whose backs now have any colour, 70.5 % are exact and 16 squares wrong
  (before 70.5 and 13), by names 51.3 % and 404 (51.3 and 583): nothing says which side
  is up, and most are on one table of one paper whose faces have spots. Without the mean
  49.1 % and 285, but two of five photos of a real draughts board were open by names.
  The older pair's closer look went on, 2,000 steps, with the 310 tables, 229 more, and
  those of the 350 that are of one paper: of the 480 drawn boards 93.8 % and 2 (93.5 and
  2), by names 91.5 % and 5 (90.0 and 12). Its first look with the same lessons, as the
  mean of before and after, read strange boards by names better (51.8 % and 146), but
  the chip that mirrors a lamp was open again in nine photos of 35, and with a quarter
  of what was learnt in one. Lessons with more or less colour than the calibration's
  photo has (a fifth of the photos, 0.35 log units) left 9 squares of the strange boards
  wrong instead of 14, both without the mean, but a real draughts board was open by
  samples, too. Not kept.
* Windows. A window or a large lamp above the table, mirrored in polished faces and in
  the print (`a_window`), is what is read worst: of 192 drawn boards with one in each
  photo 40.1 % are exact and 108 squares wrong, by names 32.8 % and 169. So both pairs
  for boards of one paper went on with 213 usual tables, with one in three of ten photos
  in other light, by Muon at 5e-4: the older networks 3,000 steps each, the third pair's
  2,000. With all of it 42.2 % and 29 squares wrong, by names 37.5 % and 48; with the
  mean for the network that looks first 42.2 % and 39, 36.5 % and 64. But of 480 other
  boards 92.3 % and 9 wrong, or 92.9 % and 5 (93.3 % and 3 with the older one's closer
  look alone, which gains nothing by windows); and chips from other boxes, of which
  there were none among those lessons, were surely taken for some that are turned over.
  Not kept: such lessons want strange tables, too, and more steps.
* Windows alone. So that nothing else is forgotten, photos with windows alone were then
  learnt from, and of all others the older pair's answers, doubts and all (as in Li and
  Hoiem 2016, Learning without forgetting), sometimes with one team's looks left out of
  the game, so that its pieces were from another box: 553 tables, 150 of them strange,
  4,000 and 3,500 steps. 38.5 % of the boards with windows exact and 39 squares wrong,
  by names 33.3 % and 62; but of the 480 other boards 92.3 % and 2, by names 87.9 % and
  15; with the means of weights 93.3 % and 2, 89.4 % and 16. Where boards known by names
  alone kept their answers by windows, too, after 2,500 and 1,000 steps 92.5 % and 3,
  89.2 % and 9. Not kept, for it needs no lessons: where a photo leaves several squares
  in doubt, the others are less sure than they seem (`chips._SEVERAL`). With that alone
  42 squares by windows are wrong, by names 71, as many boards are exact as before, and
  of the 480 others 93.8 % and 1, by names 91.5 % and 3.
  Where the print shows a window over much of the board, or over all of it, pieces are
  less sure once more (`veil.mirrored`): 6 squares wrong, by names 11, 31.3 % and 27.6 %
  of the boards exact, and of the 480 others nothing is changed.
* Tall pegs. Until late pegs were at most 22 mm high on squares of 50 mm, so photos that
  a path tracer took of taller ones were misread: a head that is seen over the square
  behind, or a head's shadow on the square beside, was surely a peg. Now pegs are up to
  40 mm high, three of ten chips are as thick as draughtsmen, and in a quarter of the
  tables' first photos a lamp is mirrored. The older pair went on with 570 such tables,
  250 of them with pegs, and 378 that had been drawn before, by Muon at 5e-4: 4,000 and
  2,500 steps; then the third, 3,000 and 1,800. Of 192 drawn boards with pegs 3 squares
  are wrong instead of 34, by names 4 instead of 33, and beside hands none instead of 2;
  77.1 % of them are exact (80.7). For chips these eyes are no better: of 480 boards as
  they were drawn before 93.3 % are exact and 3 squares wrong (93.8 and 1), by names
  90.0 % and 7 (91.5 and 3), and with three quarters of what the first look had learnt
  pieces from other boxes were surely taken for some of the table's again. So they are
  asked where no look is a turned chip's. Means of weights before and after gave
  nothing: with half of what the first look learnt 7 and 14 of those squares are wrong,
  with half in all four networks 18 and 21. It cost some altered photos of pegs. Lamps
  that are mirrored from the first, and thick chips, cost as many squares as before:
  green and black pegs on dark wood below one are mostly open still.
* Planes. What is high is seen aside, and needs no lessons to be seen in its place: on a
  plane above the board (`vision.raised`). With the eyes as they are, of 144 boards with
  pegs up to 40 mm 127 are exact instead of 114, 122 squares unknown instead of 385, and
  2 wrong instead of none; of 112 with draughtsmen 79 instead of 72, 180 instead of 289,
  and 4 either way. By names 123 and 82 instead of 117 and 78, and 6 squares of both
  wrong instead of 18.
* Lessons on planes. Then both pairs for pegs went on, by Muon at 5e-4, with 330 tables
  of pegs and draughtsmen, four of five of them seen on a plane at 0.3 to 0.9 of their
  height, 60 of pegs and 50 usual ones on the board: 4,000 and 2,500 steps, and 3,000
  and 1,800. Since then they are asked for draughtsmen that are looked at above the
  board, too. Of 240 boards with pegs 206 are exact as before, but 130 squares unknown
  instead of 221, and 1 wrong instead of 5; by names 201 instead of 200, 191 instead of
  301, and 2 instead of 9. Of 128 others 101 instead of 100, 155 instead of 251, and 10
  instead of 16; by names 97 instead of 99, 235 instead of 338, and 10 instead of 18.
  Of the 112 with draughtsmen 85 are exact instead of 79, 112 squares unknown instead of
  180, 3 wrong instead of 4, and beside hands none instead of 2; by names 89 instead of
  82, 107 instead of 164, and 1 instead of 2. With the first pair's lessons alone more
  is given: 211 of the 240 are exact, 107 squares unknown and 2 wrong, and of the 128
  others 99, 144 and 16; with the mean of the other pair's weights before and after it
  is the same. No other plane is better for them: on one at 0.65 of what is measured
  instead of 0.45, 73 of 96 boards are exact instead of 76, and 4 squares wrong instead
  of 1; heads are in their own squares there, but feet are in others'.
* Beside high pieces. What the pairs for those doubt is held against pieces by the
  network that learnt from what lies on boards. On planes anywhere from 0.3 to 0.9 of
  their height that misleads: on held-back tables a doubt of pegs cost 0.73 nats, more
  than before it was asked (0.42), and 58 of 741 answers were wrong. So it went on with
  509 such tables in four lights, 5,000 steps: 0.25 nats, and none of 432 wrong. But on
  the planes where the program looks, it was not that bad, 0.25 nats and 2 of 512 wrong,
  and there those lessons gained less: 0.22, and none of 310. Of 288 drawn boards with
  pegs 37 are not exact with the older one, and 48 were with those lessons; with 525
  tables on such planes more, 3,000 steps, 45, and 41 if its answers were not made
  sober; one square was wrong each time, the same one. It learnt its tables by heart (a
  doubt of both kinds of high pieces cost 0.28 nats after 1,000 steps, 0.27 after
  5,000). Not kept: what it is less wrong about is not what lies on tables that are
  read.
* Several planes. What is doubted on the plane for pegs, 167 squares of 288 drawn boards
  at 0.40 nats each, was looked at on others, too: by the mean with one more, at 0.25,
  0.65 or 0.9 of what is measured, 0.35 to 0.37, with two more 0.29 to 0.32. That
  answers 24 of them at most, none wrongly. Of draughtsmen's 116 doubts it answers
  eight, at 0.49 nats instead of 0.52. Not kept: photos in doubt would cost twice as
  much, and 1.2 times the log-probabilities of one plane answer more.
* Twice the pixels. On 336 drawn boards with chips and draughtsmen, 39 of them not
  exact, all that is open is which side is up, or whose: no square is open that is
  empty, and none that something covers. So the last network went on with cells at twice
  the scale, without what is around them, and was asked last: 1,600 steps with 287
  tables in four lights. On 40 others a doubt cost 0.57 nats instead of 0.62, and 76 of
  661 were answered, none wrongly. (After 4,000 steps, without moving every cell aside a
  little, 0.67: it had learnt the tables by heart.) Of the 336 boards 35 are not exact,
  by names 40 instead of 44. But of six watched games one that was lost over a chip put
  face down was not, and another was, over one whose ring people see at that size. Not
  kept; it would want more tables.
* Rings. What twice the pixels did not teach is plain by sums. Of 272 squares of drawn
  photos where it was in doubt which side of a chip is up, 94 % were told rightly by the
  mean colours of rings around the middle, held against those of the samples, once the
  middle was known: where a disc of one colour a ring parts best from the empty board.
  But shadows are such discs, too, and so are chips as light as the paper; and a lamp
  that is mirrored has the rings of a label. So a small network finds the tops: with 504
  tables, 5,000 steps, half of those of 40 others are off by less than 0.015 squares,
  nine of ten by 0.038, and all but one of a hundred by 0.12 (0.017, 0.043 and 0.145
  with 132 tables, 3,000 steps). Another, of 74,000 numbers, holds rings against rings,
  their means and how much they change along a turn: 4,000 steps with the doubts of
  those tables in four lights. Of 1,641 doubts on the 40 others, none of them answered
  before, 901 were, none wrongly; a doubt cost 0.27 nats instead of 0.75. With 21,000
  numbers and 132 tables it was 0.35; with 74,000 and 132 tables 0.33 after 1,000 steps,
  and 0.36 after 2,500: by then it knew the tables by heart, whose doubts cost it 0.23.
  And chips whose middles were off by more than a tenth of a square, one of twenty, had
  a fifth of the cost, more than before print was asked; so it is told how far apart the
  places are where a middle may be. Of the chips that all other eyes were all but clear
  about (0.99 to 0.999), 79 of 2,509 were wrong; where rings rather told another look,
  46 of those were, and 20 of the others. But where an older network overruled those
  eyes, a little less sober, 2 of 30 watched games went wrong, and none where it told of
  doubts alone.
* Sure, and wrong. Tables that nothing had been measured on before (39 drawn ones with
  chips, and 83 games) were read worse than the held-back ones: of squares that the
  other eyes were sure of after a closer look, at 0.99, 27 of 1,377 were wrong, by names
  103 of 1,596, and of 7,057 in games 15. Print, asked about those, too, and not only
  where doubt stays, is wrong about 5 of 1,260, 18 of 1,285, and none of 6,819. (It asks
  for what they thought before to count by 0.47, as it learnt; least would cost a square
  of those tables by 0.47 with samples, by 0.3 by names, and by 0.85 in games.) But by
  names, 14 of 83 settled photos of the shared boards with chips were no longer exact,
  though no square was wrong; so sure squares are left to others where it has not yet
  seen both looks in question, and all 83 are. How sure the others were says nothing
  any more once print was asked (a logistic fit gives that a weight of 0.04): where it
  agrees by 0.99 or more, 2 of 8,167 are wrong, by 0.95 or more 5 of 333, and by less 13
  of 98. So from 0.99 on it makes nobody less sure, and from 0.95 on both count: of 36
  chips on photos that a path tracer took four stay open, and by its answers alone
  seven. Those of which the others are clear, and see what they saw at first, are not
  asked about: 4 of 3,875 are wrong, and print agrees. Before the pieces beside are
  looked at instead of after, a doubt in games costs 0.055 nats instead of 0.036, and on
  the tables 0.59 instead of 0.54.
* Three say. The two networks that look at pieces beside cells had been asked one by the
  kind of board, and what was thought before no longer counted then. But neither had
  lessons with what is doubted by now: of 304 doubts on 59 drawn tables whether a peg
  stands there, a doubt costs 0.35 nats before the first is asked and 0.61 after, and
  1.26 where nothing is mirrored. What is known of heads and feet tells no more (a
  logistic fit, held against tables it was not fitted to). By the mean of all three,
  half as sure again, 87.0 % of 540 other drawn boards are exact instead of 85.9, and of
  270 more 81.9 instead of 82.2; 6 squares of both are wrong either way. On chequered
  boards, by the second and what was thought before, 72.9 % are exact instead of 72.2,
  and no square wrong instead of 1. By names more is given (84.1 and 81.5 % instead of
  81.7 and 80.7), but 34 squares wrong instead of 22, and on strange boards 264 instead
  of 82; so there the first that is asked has the last word.
* A lamp that its own photo shows. One that is mirrored at calibration makes paper
  brighter there and lines fainter, by the same share. Where squares meet, both together
  find it: of 77 drawn boards without one none shows more than 0.05, of 43 with one 7
  more than 0.15. Taken off boards where it is 0.2 or more (2 tables of 100), 1 square
  of four tables is wrong instead of 20, and as many boards are exact. But the lamp of a
  shared set is one of those: of its recoloured photos 57 were open then, and none is
  now, for pieces do not mirror a lamp as the board does. So it stays on the board, and
  who calibrates is told (`vision.lamp`).
* Marks. Some photos of 13 tables that a path tracer took were misread or left open, for
  backs bore a bar on the team's own colour. So such marks were drawn, on half of the
  backs: of 24 photos of chips with one on their own colour 15 are exact, of 136 with
  other backs 121. The network that looks at print, which had seen none, was as good on
  290 such tables as on others (0.28 nats a doubt instead of 0.82, and 3 of 1,155
  answers wrong), and no better when it went on with 250 of them: 0.28 after 2,000 steps
  by Muon, 0.31 by AdamW. The first look of boards of one paper, with 145, gave ever
  more, and more of it wrong: of 136 held boards 43 % and 2 squares wrong after 250
  steps, 47 % and 16 after 2,500. Not kept: it would want a thousand tables.
* Bars. A window's bars and a blind's slats leave sharp shadows, which no lessons had:
  of 198 drawn photos of chips in them 75 % are exact and 304 squares open. So the first
  look and the closer one of boards of one paper went on with those of 580 tables, a
  fifth of whose photos had such shadows, 8,000 and 4,000 steps by Muon. Of 249 held
  back the first look read 61.0 % and 4 squares wrong instead of 57.4 and 9, by
  names 36.5 and 18 instead of 40.6 and 39. But in the program 75 % of those 198 were
  exact as before, though 232 squares were open and 4 wrong instead of 6; by mirrored
  windows more was open (410 squares of 28 photos instead of 383); and of 80 photos that
  a path tracer took 14 squares were wrong instead of 11, three of them backs that had
  been doubted. Not kept. Bare squares are told by sums (`vision.pieces.plain`); which
  side of a chip is up, below a bar, is what is open. Sums also say where a square is
  not bare, for fine print is missing that a quarter of the others show: 8 in 10,000
  bare ones look so, and 80 in 100 with chips. But with that 205 of 264 photos were
  exact instead of 208, and as many squares wrong.
* More prints. What stays in doubt of chips, by any light, is mostly which side is up.
  So another network learnt it, of 1,930 other tables in two lights, with three photos
  each (105 of them with five), a fifth of those in other light with a mirrored window
  and a fifth with bars; 4,000 steps by Muon. On 290 tables that neither had learnt,
  where both looks in question are known, a doubt of photos with few costs 0.43 nats by
  either, and 0.41 by the mean of both; of photos with many 0.42, 0.42 and 0.39; and
  squares that the eyes are sure of 0.10, 0.09 and 0.085, of which 71, 61 and 55 of
  15,000 are given wrongly at 0.99. So both are asked. Of 180 drawn photos of chips, 72
  of them by windows and bars, 131 are exact as before, 662 squares open instead of 683,
  and 2 wrong instead of 4. Alone it was no better than the first, which had a quarter
  of the tables: nearly half of what held-back doubts cost is on a dozen photos of 700,
  of looks that no sample shows, or below a window. Nothing came of looks held against
  each other as well (a discriminant of what two of them differ by), of squares of
  distances, of rings printed anew on lessons' chips, nor of lessons without looks that
  nobody had shown (fewer are wrong where few are in doubt, and more where many are).
* Views. Lessons turn and mirror tables, so a photo may be seen in eight views. On
  average over seven choices each, two views of the first pair and a third of the other,
  none upright, left 464 squares unknown and 11 wrong; upright and another view of both,
  467 and 13. Of photos of pegs by another light 77 % were exact instead of 66.
* Lights. Light beside a chip is not quite the light on it. Where chips stay in doubt,
  the photo is seen by 0.2 log units less and more of it, too, from first sight to
  print, and the mean of all three counts: of 139 drawn photos of chips that were not
  exact 16 more are, 361 squares open instead of 462, and 8 wrong either way. By other
  lights in the views that are asked anyway, or for the rings alone, as many photos were
  exact as before; pegs were told worse (0.96 nats a doubt instead of 0.69, 10 wrong
  instead of 6). Below mirrored windows, with and without them, of 72 photos one more
  was exact, and each cost half as much again. Not kept.
* Veils of pieces. Pieces mirror a window more or less than the board does. By as much
  of it on each as its true look tells, smoothed over its neighbours, 272 squares of
  those 72 photos are open instead of 320, 198 with chips instead of 202, and 4 wrong
  instead of none. So how much of a veil pieces have is not what is missing there.
"""
