"""Which games exist, written out by hand.

A new game is a module of this package and one line here.
"""

from companion.games.boston import BOSTON
from companion.games.gridlock import GRIDLOCK
from companion.games.gridlock_cards import GRIDLOCK_CARDS
from companion.games.jacks_rule import JACKS_RULE
from companion.games.states import STATES
from companion.rules.game import GameKind

GAMES: dict[str, GameKind] = {
    game.name: game for game in (GRIDLOCK, JACKS_RULE, STATES, BOSTON, GRIDLOCK_CARDS)
}
"""The games by the id of record-format.md, in the order in which they are offered."""
