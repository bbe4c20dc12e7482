"""embedding_train: a HandEbdNet for every round but the first. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cfrlab.abstraction.embedding.params import Params
from cfrlab.abstraction.embedding.supervision import targets
from cfrlab.abstraction.embedding.tensors import hand_tensor
from cfrlab.abstraction.embedding.training import Trained, fit
from cfrlab.abstraction.embedding.weights import Origin, save
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER, Progress
from cfrlab.papers.embedding.traits import about_phi
from cfrlab.papers.embedding.values_file import Values


def train(
    game: RoundGame,
    budgets: Sequence[int],
    supervision: str,
    params: Params,
    seed_of: Callable[[int], int],
    values: Values | None,
) -> list[Trained]:
    """Train the networks.

    Args:
        game: the game.
        budgets: advisors of every round but the first.
        supervision: see `abstraction.embedding.supervision`.
        params: options.
        seed_of: seed of a round's network.
        values: expected values of every round, for supervision by them.

    Raises CfrlabError for a network that collapsed, with its numbers.
    """
    networks = []
    for r, advisors in enumerate(budgets, start=1):
        wanted = targets(supervision, game.classes, r, values)
        progress = Progress(params.steps, f"steps in round {r + 1}")
        hands = hand_tensor(game.deck, game.classes[r])
        done = fit(hands, wanted.values, advisors, params, seed_of(r), progress.step, wanted.groups)
        LOGGER.info(
            "round %d: R^2 %.4f; of %d advisors %.1f in use, %d dead; a hand trusts %.1f",
            r + 1,
            done.report.r2,
            advisors,
            done.report.traits.in_use,
            done.report.traits.dead,
            done.report.traits.effective,
        )
        networks.append(done)
    return networks


def about(game: RoundGame, networks: Sequence[Trained]) -> list[dict[str, Any]]:
    """What is known of the Phi of every round but the first (`phi_file.save`)."""
    found = []
    for r, network in enumerate(networks, start=1):
        learned = {"r2": network.report.r2, "r2_by_group": network.report.r2_by_group}
        found.append({**about_phi(game, r, network.phi), **learned})
    return found


def save_weights(
    paths: Sequence[str],
    game: RoundGame,
    networks: Sequence[Trained],
    supervision: str,
    seed_of: Callable[[int], int],
) -> None:
    """Write the weights of every network."""
    deck = game.deck
    for r, (path, network) in enumerate(zip(paths, networks, strict=True), start=1):
        origin = Origin(game.name, deck.ranks, deck.suits, supervision, seed_of(r))
        save(path, network.weights, origin)


def options(config: Mapping[str, Any]) -> Params:
    """Options of the networks from the parameters of a job."""
    return Params(**{k: v for k, v in config.items() if k not in ("budgets", "supervision")})
