"""train: a HandEbdNet for every round but the first. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from cfrlab.abstraction.embedding.params import Params
from cfrlab.abstraction.embedding.requirements import versions
from cfrlab.abstraction.embedding.supervision import targets
from cfrlab.abstraction.embedding.tensors import hand_tensor
from cfrlab.abstraction.embedding.training import Trained, fit
from cfrlab.abstraction.embedding.weights import Origin, save
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER, Progress
from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import AS_TRAINED, EMBEDDING, Values
from cfrlab.papers.embedding.phi_report import about_matrix
from cfrlab.pipeline.job import Job
from cfrlab.seeds import seed_for


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


def about_networks(game: RoundGame, networks: Sequence[Trained]) -> list[dict[str, Any]]:
    """What is known of the Phi of every round but the first (`artifacts.save_phi`)."""
    known = []
    for r, network in enumerate(networks, start=1):
        learned = {"r2": network.report.r2, "r2_by_group": network.report.r2_by_group}
        known.append({**about_matrix(game, r, network.phi), **learned})
    return known


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
    """Options of the networks, among those of a job."""
    return Params(**{name: config[name] for name in Params.model_fields})


def run(job: Job) -> None:
    """Run the stage."""
    config, label, seed = job.config, job.key["network"], job.key["seed"]
    job.libraries.update(versions())
    game, supervision = artifacts.load_game(job), config["supervision"]
    values = artifacts.load_values(job)
    seed_of = partial(seed_for, job.seed, "embedding", "network", label, seed)
    networks = train(game, config["budgets"], supervision, options(config), seed_of, values)
    save_weights(job.outputs["weights"], game, networks, supervision, seed_of)
    names = {
        "game": job.key["game"],
        "abstraction": label,
        "family": EMBEDDING,
        "network": label,
        "phi": AS_TRAINED,
        "seed": int(seed),
    }
    matrices = [network.phi for network in networks]
    artifacts.save_phi(job, game, matrices, names, about_networks(game, networks))
