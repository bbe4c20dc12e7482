"""One abstraction matrix for each betting round."""

from __future__ import annotations

from dataclasses import dataclass

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.solve.phi import Identity, Phi


@dataclass(frozen=True)
class RoundAbstraction:
    """A ``Phi`` over the hand classes of every round, shared by players and betting sequences.

    All infosets with one betting sequence (an info-block of Fu et al. 2026) use the same matrix.
    """

    phis: tuple[Phi, ...]

    @staticmethod
    def identity(game: RoundGame) -> RoundAbstraction:
        """No abstraction beyond suit isomorphism."""
        return RoundAbstraction(tuple(Identity(n) for n in game.hands))

    @property
    def rows(self) -> tuple[int, ...]:
        """Number of strategy rows (buckets, advisors) of every round."""
        return tuple(phi.rows for phi in self.phis)

    def check(self, game: RoundGame) -> None:
        """Raise CfrlabError unless the abstraction is for this game's rounds."""
        if len(self.phis) != game.rounds:
            raise CfrlabError(
                f"game {game.name}: it has {game.rounds} rounds, the abstraction is for "
                f"{len(self.phis)}; was it made for another game?"
            )
        for r, (phi, n) in enumerate(zip(self.phis, game.hands, strict=True)):
            if phi.hands != n:
                raise CfrlabError(
                    f"game {game.name}: round {r + 1} has {n} hand classes, the abstraction is for "
                    f"{phi.hands}; was it made for another game or round?"
                )
