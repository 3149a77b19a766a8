import re

from companion.rules.board import Cell, HexBoard, hexagon
from companion.rules.game import Highlight, Meaning
from tests.web import samples
from web import board_svg, road_svg, shapes


def test_a_run_is_one_band_through_the_middles_of_its_chips():
    snapshot = samples.gridlock(highlights=(samples.RED_RUN,))
    drawn = board_svg.marks(snapshot, board_svg.UNDER)
    line = re.search(r'class="core" points="([^"]*)"', drawn)[1]
    seats = [
        board_svg.seat(board_svg.box(snapshot.outlines[cell]))
        for cell in samples.RED_RUN.cells
    ]

    assert drawn.count("<polyline") == 2  # its edge and its core
    assert "team-red" in drawn
    for point, seat in zip(line.split(), seats, strict=True):
        x, y = map(float, point.split(","))
        assert abs(x - seat[0]) < 0.1
        assert abs(y - seat[1]) < 0.1


def test_other_marks_frame_each_square_and_carry_a_sign():
    """What is wrong, doubtful or to be turned over is told apart without colour."""
    cells = samples.cells("a2 c3 d9")
    for meaning, sign in board_svg.SYMBOLS.items():
        drawn = board_svg.marks(
            samples.gridlock(highlights=(Highlight(meaning, cells),)), board_svg.OVER
        )

        assert drawn.count("<polygon") == len(cells)
        assert drawn.count(f'href="#{sign}"') == len(cells)
    assert len(set(board_svg.SYMBOLS.values())) == 3


def test_a_highlight_of_unknown_cells_draws_nothing():
    stray = Highlight(Meaning.WRONG, (Cell("z99"),))

    assert board_svg.marks(samples.gridlock(highlights=(stray,)), board_svg.OVER) == ""


def test_every_look_has_a_shape():
    """Chips of both sides, a peg of unknown owner; empty squares stay empty."""
    outlines = samples.gridlock().outlines
    looks = dict(
        zip(outlines, ["red", "white-turned", "turned", "empty"], strict=False)
    )
    drawn = board_svg.chips(outlines, looks)
    used = re.findall(r'href="#([^"]*)"', drawn)

    assert used == ["chip-red", "chip-white-turned", "chip-unknown"]
    for shape in used:
        assert f'id="{shape}"' in shapes.defs()


def test_a_road_ends_in_the_middle_of_its_side():
    """N of a flat-top hexagon is its upper side, SE its lower right one."""
    cell = hexagon(0, 0)
    outline = HexBoard({cell: ""}, side_mm=20).outline(cell)
    drawn = road_svg.tile(outline, ["N", "SE"])
    ends = [
        tuple(map(float, end.split()))
        for end in re.findall(r"L([\d.]+ [\d.]+)", re.search(r'd="([^"]*)"', drawn)[1])
    ]
    half = 20 * 3**0.5 / 2

    assert ends[0] == (20.0, 0.0)
    assert abs(ends[1][0] - 35) < 0.1
    assert abs(ends[1][1] - 1.5 * half) < 0.1


def test_letters_and_numbers_stand_beside_squares_only():
    assert board_svg.axes(samples.gridlock().outlines).count("<text") == 20
    assert board_svg.axes(samples.boston().outlines) == ""
