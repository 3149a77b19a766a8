"""How networks learn: what an answer costs, and the course of the lessons."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, distributed, multiprocessing, nn
from torch.nn import functional

from vision.training.batches import MOST, TOUCHED, Batch, Table, photos_of, richest

PROCESSES = 2
"""That learn together."""

HELD = 40
"""Tables that are not learnt from."""

BOARDS = ("paper", "chequered")
"""Kinds of boards, see `EmptyBoard.chequered`."""

SURE = 0.99
"""Probability from which an answer is given."""

_COVERED = 0.5  # of a square; from there nothing else should be said
_WHOSE = 0.25  # weight of whose a turned chip is
_WARM_UP = 300  # steps
_MEMORY = 0.999  # of the moving average of weights that is kept in the end
_REPORT = 1000  # steps
_DECAY = 1e-3  # of weights, for each unit of the rate
_NARROW = 8  # rows or columns; what has fewer is no matrix to speak of


def loss(log_p: Tensor, batch: Batch) -> Tensor:
    """Return the mean cost, nats a square."""
    backs = functional.pad(batch.names[:, :, -1], (2, 0))[:, None, None, None] > 0
    near = functional.max_pool2d(batch.covered, 3, 1, 1) > TOUCHED
    return priced(log_p, batch.truth, batch.covered, backs, near).mean()


def priced(
    log_p: Tensor, truth: Tensor, covered: Tensor, backs: Tensor, near: Tensor
) -> Tensor:
    """Return the costs (...) of answers, nats.

    A covered square should be called covered; beside one both answers are good.

    Args:
        log_p: (..., 2 + MOST).
        truth: (...) 0 for empty, 2 and more for looks.
        covered: (...) part of each square that something covers.
        backs: (..., 2 + MOST) columns of turned chips, or what broadcasts to it.
        near: (...) whether something covers squares beside it.
    """
    true = log_p.gather(-1, truth[..., None])[..., 0]
    # Whose a turned chip is may not be to be seen: that should not drown the rest.
    back = log_p.masked_fill(~backs, -1e9).logsumexp(-1)
    turned = backs.expand_as(log_p).gather(-1, truth[..., None])[..., 0]
    true = torch.where(turned, back + _WHOSE * (true - back), true)
    hidden = log_p[..., 1]
    beside = torch.where(near, torch.logaddexp(true, hidden), true)
    return -torch.where(covered > _COVERED, hidden, beside)


class _Kept(Protocol):
    @property
    def chequered(self) -> object: ...


Lesson = TypeVar("Lesson", bound=_Kept)
"""What is kept of a table."""

Read = Callable[[Batch, Table, Sequence[int]], Tensor]
"""Returns log-probabilities (B, P, rows, columns, 2 + MOST) of photos by number."""


def judge(read: Read, tables: Sequence[Table], named: bool) -> str:
    """Return how well boards are read that were not learnt from.

    Turned chips count as right whosever they are taken for: their backs may be
    alike.
    """
    rng = np.random.default_rng(0)
    wrong, given, squares, exact, clean, beside = 0, 0, 0, 0, 0, 0
    for table in tables:
        at = richest(table)
        others = [number for number in range(len(table.picture)) if number != at]
        batch = photos_of(table, at, others, rng, named=float(named), left_out=0.0)
        with torch.no_grad():
            p = read(batch, table, [at, *others])[0].exp()
        truth, covered = batch.truth[0], batch.covered[0]
        written = torch.cat((torch.zeros(2), table.names[:, -1])) > 0
        p = torch.cat((p, p[..., written].sum(-1, keepdim=True)), -1)
        best, said = p.max(-1)
        sure = (best > SURE) & (said != 1)
        back = written[truth] & (
            (said == 2 + MOST) | torch.cat((written, torch.tensor([True])))[said]
        )
        good = sure & ((said == truth) | back)
        free = covered.flatten(1).amax(1) < TOUCHED
        clean += int(free.sum())
        exact += int(good[free].flatten(1).all(1).sum())
        squares += sure[free].numel()
        given += int(sure[free].sum())
        wrong += int((sure & ~good)[free].sum())
        beside += int((sure & ~good)[~free].sum())
    return (
        f"{exact / clean:.1%} of {clean} boards exact, {wrong} wrong and "
        f"{squares - given} unknown of {squares}; {beside} wrong beside hands"
    )


def keep(
    how: str,
    read: Read,
    tables: Sequence[Table],
    off: str,
    weights: Mapping[str, npt.NDArray[np.float16]],
    file: Path,
) -> None:
    """Say how well is read, and keep the weights.

    Args:
        how: it goes.
        read: reads photos.
        tables: that were not learnt from.
        off: by how much the program's own network differs.
        weights: as that wants them.
        file: where they go.
    """
    print(f"{how}; {judge(read, tables, named=False)}")
    print(f"    by names: {judge(read, tables, named=True)}")
    print(f"    off with weights as they are kept: {off}")
    save(file, weights)


def save(file: Path, weights: Mapping[str, npt.NDArray[np.float16]]) -> None:
    """Write weights as the program reads them."""
    with file.open("wb") as out:
        np.savez_compressed(out, allow_pickle=False, **weights)


def teach(
    network: nn.Module,
    parameters: Iterable[nn.Parameter],
    cost: Callable[[], Tensor],
    report: Callable[[str, nn.Module], None],
    wishes: argparse.Namespace,
) -> None:
    """Learn as one of the processes that go step by step together.

    Args:
        network: learns.
        parameters: of all that learns.
        cost: of the next step.
        report: is told how it goes, and what the network is on average.
        wishes: see `parser_of`; the rate falls like half a cosine.
    """
    steps, rate = wishes.steps, wishes.rate
    average = deepcopy(network)
    network.to(memory_format=torch.channels_last)
    parameters = list(parameters)
    optimiser = _Muon(parameters) if wishes.muon else _adam_w(parameters)
    lately = 0.0
    for step in range(1, steps + 1):
        left = 0.5 * (1 + np.cos(np.pi * step / steps))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, step / _WARM_UP) * (left + 0.01)
        optimiser.zero_grad()
        now = cost()
        now.backward()
        _share_slopes(parameters)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        memory = min(_MEMORY, step / (step + 10))
        with torch.no_grad():
            for mean, own in zip(
                average.parameters(), network.parameters(), strict=True
            ):
                mean.lerp_(own, 1 - memory)
        lately += 0.02 * (now.item() - lately)
        if distributed.get_rank() == 0 and (step % _REPORT == 0 or step == steps):
            report(f"{step} steps, cost {lately:.4f}", average)
            sys.stdout.flush()


def _adam_w(parameters: Sequence[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, weight_decay=_DECAY)


class _Muon:
    """Muon for matrices, AdamW for all else.

    A matrix moves by the orthogonal one that is nearest to its slopes' mean (Jordan
    and others 2024), scaled as AdamW's steps are (Liu and others 2025), so that one
    rate does for both. A convolution is a matrix that takes all it sees at a place.

    Args:
        parameters: to learn; those of convolutions have their channels last.
    """

    def __init__(self, parameters: Sequence[nn.Parameter]) -> None:
        self._parameters = parameters
        self._matrices = {
            own: nn.Parameter(own.detach().movedim(1, -1).view(len(own), -1))
            for own in parameters
            if own.ndim > 1 and min(len(own), own[0].numel()) >= _NARROW
        }
        rest = [own for own in parameters if own not in self._matrices]
        self._optimisers = (
            torch.optim.Muon(
                self._matrices.values(),
                weight_decay=_DECAY,
                adjust_lr_fn="match_rms_adamw",
            ),
            _adam_w(rest),
        )
        self.param_groups = [
            group for every in self._optimisers for group in every.param_groups
        ]

    def zero_grad(self) -> None:
        """Forget the slopes."""
        for own in self._parameters:
            own.grad = None

    def step(self) -> None:
        """Change all parameters by their slopes."""
        for own, matrix in self._matrices.items():
            assert own.grad is not None
            matrix.grad = own.grad.movedim(1, -1).flatten(1)
        for optimiser in self._optimisers:
            optimiser.step()


def _share_slopes(parameters: Sequence[nn.Parameter]) -> None:
    """Give all processes the mean of their gradients; who has none has zero."""
    slopes = torch.cat(
        [
            torch.zeros(own.numel()) if own.grad is None else own.grad.reshape(-1)
            for own in parameters
        ]
    )
    distributed.all_reduce(slopes)
    sizes = [own.numel() for own in parameters]
    for own, slope in zip(parameters, slopes.split(sizes), strict=True):
        own.grad = slope.view_as(own) / PROCESSES


def together(
    learn: Callable[[int, Sequence[Lesson], argparse.Namespace], None],
    read: Callable[[Path], Lesson],
    wishes: argparse.Namespace,
) -> None:
    """Let processes learn together, each with its rank, from all tables of a folder."""
    cv2.setNumThreads(1)  # threads would not survive the fork
    files = sorted(wishes.folder.glob("*.npz"))
    if not files:
        sys.exit(f"There are no photos in {wishes.folder}; make them first.")
    tables = [read(file) for file in files]
    with TemporaryDirectory() as meet:
        multiprocessing.start_processes(
            _join,
            (learn, tables, wishes, f"file://{meet}/here"),
            nprocs=PROCESSES,
            start_method="fork",
        )


def _join(
    rank: int,
    learn: Callable[[int, Sequence[Lesson], argparse.Namespace], None],
    tables: Sequence[Lesson],
    wishes: argparse.Namespace,
    meet: str,
) -> None:
    # One thread and one seed a process: the same machine finds the same weights.
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=meet, rank=rank, world_size=PROCESSES
    )
    torch.manual_seed(1)
    learn(rank, tables, wishes)
    distributed.destroy_process_group()


def held_back(
    tables: Sequence[Lesson], boards: str | None, held: int = HELD
) -> tuple[Sequence[Lesson], Sequence[Lesson]]:
    """Return tables to judge by, that are not learnt from, and those to learn from.

    Args:
        tables: all.
        boards: the kind wanted, see `BOARDS`; None for all.
        held: how many are held back, of whatever kind.
    """

    def wanted(some: Sequence[Lesson]) -> Sequence[Lesson]:
        return [
            table for table in some if boards in (None, BOARDS[bool(table.chequered)])
        ]

    held = min(held, len(tables) // 2)
    return wanted(tables[:held]), wanted(tables[held:])


def parser_of(what: str, steps: int) -> argparse.ArgumentParser:
    """Return what takes the wishes of one who teaches, see `together`.

    Args:
        what: is taught.
        steps: how many, unless others are wanted.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("folder", type=Path, help="of photos")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--rate", type=float, default=2e-3, help="at first")
    parser.add_argument("--muon", action="store_true", help="learn by it: fewer steps")
    parser.add_argument("--boards", choices=BOARDS, help="learn from such boards alone")
    parser.add_argument("--out", type=Path, required=True)
    return parser
