"""Which games exist, written out by hand.

A new game is a module of this package and one line here.
"""

from companion.rules.game import GameKind

GAMES: dict[str, GameKind] = {}
"""The games by the id of record-format.md, in the order in which they are offered."""
