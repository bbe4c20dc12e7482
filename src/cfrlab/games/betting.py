"""Betting rounds: the public trees of no-limit and limit betting for two players.

A round is built from callbacks that say what follows a fold and a call, so that one function
serves every street of every game. Player 0 acts first unless told otherwise. ``paid`` is what a
player has put in since the initial pot, which belongs half to each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from cfrlab.errors import CfrlabError
from cfrlab.games.tree import Decision, Node

Fold = Callable[[int, float], Node]
"""``fold(winner, loser_paid)``: the node after a fold."""

Close = Callable[[float], Node]
"""``close(paid)``: the node after a call or two checks; each player has put in ``paid``."""

ALL_IN: Literal["all-in"] = "all-in"
# Sizes closer than this fraction of the stack are the same size: a cap reached through a sum of
# fractions may miss it by a rounding error.
_SAME = 1e-9


def _size(value: Any) -> Any:
    if value == ALL_IN:
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value <= 0:
        raise ValueError(f"bet size {value!r}: use a positive fraction of the pot, or '{ALL_IN}'")
    return float(value)


Size = Annotated[float | Literal["all-in"], BeforeValidator(_size)]


class Betting(BaseModel):
    """No-limit betting of one street. The defaults are the tree of the three WEVA games.

    A bet or raise of fraction f brings the player's contribution to
    ``paid + f * (pot + 2 * paid)``, with ``paid`` the opponent's contribution: f times the pot
    after calling. Sizes are capped at the stack, and equal ones count once.

    Attributes:
        pot: initial pot, in the game's unit.
        stack: what each player has left beside the pot, in the same unit.
        bets: sizes of a first bet: fractions of the pot, or ``"all-in"``.
        raises: sizes of a raise; the same as ``bets`` unless given, none if empty.
        max_raises: most bets and raises together, or None for no limit but the stacks.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pot: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    stack: float = Field(default=2.0, gt=0, allow_inf_nan=False)
    bets: tuple[Size, ...] = (0.5, 1.0, ALL_IN)
    raises: tuple[Size, ...] | None = None
    max_raises: int | None = Field(default=3, ge=1)

    @model_validator(mode="after")
    def _some_bet(self) -> Betting:
        if not self.bets:
            raise ValueError("no bet sizes; list at least one fraction of the pot, or 'all-in'")
        return self

    def sizes(self, paid: float, raised: int) -> list[float]:
        """Contributions that a bet or raise may bring a player to, ascending.

        Args:
            paid: the opponent's contribution.
            raised: number of bets and raises so far.
        """
        if paid >= self.stack or (self.max_raises is not None and raised >= self.max_raises):
            return []
        fractions = self.bets if raised == 0 or self.raises is None else self.raises
        wanted = sorted(
            self.stack if f == ALL_IN else min(self.stack, paid + f * (self.pot + 2 * paid))
            for f in fractions
        )
        out: list[float] = []
        for to in wanted:
            to = self.stack if to >= self.stack * (1 - _SAME) else to
            if not out or to > out[-1] + self.stack * _SAME:
                out.append(to)
        return out


def no_limit(betting: Betting, fold: Fold, close: Close) -> Node:
    """The betting round of ``betting``, from the first player's first decision.

    Actions are labelled by the contribution they lead to: ``bet 0.5``, ``raise 1.5``, ``all-in``.
    """

    def act(player: int, paid: tuple[float, float], raised: int, checked: bool) -> Node:
        mine, theirs = paid[player], paid[1 - player]
        actions: dict[str, Node] = {}
        if theirs > mine:
            actions["fold"] = fold(1 - player, mine)
            actions["call"] = close(theirs)
        else:
            actions["check"] = close(mine) if checked else act(1 - player, paid, raised, True)
        for to in betting.sizes(theirs, raised):
            verb = "raise" if raised else "bet"
            label = ALL_IN if to == betting.stack else f"{verb} {to:.10g}"
            after = (to, theirs) if player == 0 else (theirs, to)
            actions[label] = act(1 - player, after, raised + 1, True)
        return Decision(player, actions)

    try:
        return act(0, (0.0, 0.0), 0, False)
    except RecursionError:
        raise CfrlabError(
            "betting: so many raises are possible that the tree has no end in sight; use larger "
            "sizes, or a max_raises"
        ) from None


def limit(
    bet: float, max_raises: int, paid: float, fold: Fold, close: Close, first: int = 0
) -> Node:
    """A betting round with one size: each bet or raise adds ``bet`` to the opponent's contribution.

    Args:
        bet: size of a bet and of a raise.
        max_raises: most bets and raises together in the round.
        paid: what each player has put in before the round.
        fold: called with the winner and the folder's contribution, ``paid`` included.
        close: called with each player's contribution, ``paid`` included.
        first: the player who acts first.
    """

    def act(player: int, mine: float, theirs: float, raised: int, checked: bool) -> Node:
        actions: dict[str, Node] = {}
        if theirs > mine:
            actions["fold"] = fold(1 - player, mine)
            actions["call"] = close(theirs)
        else:
            actions["check"] = (
                close(mine) if checked else act(1 - player, theirs, mine, raised, True)
            )
        if raised < max_raises:
            verb = "raise" if raised else "bet"
            actions[verb] = act(1 - player, theirs, theirs + bet, raised + 1, True)
        return Decision(player, actions)

    return act(first, paid, paid, 0, False)
