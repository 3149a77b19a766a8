"""Which games exist, written out by hand."""

from companion.games.gridlock_cards import GRIDLOCK_CARDS
from companion.rules.game import GameKind

GAMES: dict[str, GameKind] = {game.name: game for game in (GRIDLOCK_CARDS,)}
