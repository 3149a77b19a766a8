"""GRID#LOCK: the deck and the scoring chart (rulings GHL-01 and 4.2)."""

from companion.rules.card_grids import CardGridKind
from companion.rules.combinations import Chart, Combination, Deck, Numbers

NUMBERS = range(1, 10)

CHART = Chart(
    numbers=NUMBERS,
    combinations=(
        Combination(12, wilds=(3,)),
        Combination(10, wilds=(2,)),
        Combination(24, wilds=(0,), numbers=Numbers.SAME, one_colour=True),
        Combination(10, wilds=(1,), numbers=Numbers.SAME, one_colour=True),
        Combination(6, wilds=(0, 1), numbers=Numbers.SAME),
        Combination(8, wilds=(0, 1), numbers=Numbers.RUN, one_colour=True),
        Combination(4, wilds=(0, 1), numbers=Numbers.RUN),
        Combination(2, wilds=(0, 1), one_colour=True),
    ),
)

GRIDLOCK_CARDS = CardGridKind(
    name="gridlock-cards",
    title="GRID#LOCK",
    # The colours are not named in the rule book; red, green, blue, yellow.
    deck=Deck(colours="RGBY", numbers=NUMBERS, copies=3, wilds=9, locks=3),
    chart=CHART,
    players_per_deck=6,
    most_players=18,
)
