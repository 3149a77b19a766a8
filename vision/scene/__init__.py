"""Draw what a camera would see of a table: for the demo, the tests, the benchmarks."""

from vision.scene.boards import BoardStyle, TableStyle
from vision.scene.draw import covered, draw
from vision.scene.hands import Hand
from vision.scene.light import Bars, Edge, Glare, Light, SunPatch, Window
from vision.scene.pieces import Piece, PieceStyle
from vision.scene.print import Ink
from vision.scene.scene import Card, Scene, Sensor
from vision.scene.view import View

__all__ = [
    "Bars",
    "BoardStyle",
    "Card",
    "Edge",
    "Glare",
    "Hand",
    "Ink",
    "Light",
    "Piece",
    "PieceStyle",
    "Scene",
    "Sensor",
    "SunPatch",
    "TableStyle",
    "View",
    "Window",
    "covered",
    "draw",
]
