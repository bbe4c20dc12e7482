"""The section ``embedding`` of the configuration: every mistake is one line that names its key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfrlab import config
from cfrlab.errors import CfrlabError
from cfrlab.games.zoo import leduc, numeral211
from cfrlab.papers.embedding.plan import EmbeddingPlan
from cfrlab.papers.embedding.studies import Curve
from cfrlab.pipeline import provenance
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rule import Rule

ROOT = Path(__file__).parents[2]
Section = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    """A shipped configuration without the other papers."""
    loaded = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return {key: loaded[key] for key in ("seed", "results_dir", "embedding")}


def plan(mapping: dict[str, Any]) -> EmbeddingPlan:
    (found,) = config.load(mapping).plans.values()
    assert isinstance(found, EmbeddingPlan)
    return found


@pytest.fixture(scope="module")
def smoke() -> dict[str, Any]:
    return read("tests/smoke.yaml")


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("config.yaml", {"numeral211", "numeral211-authors"}),
        ("tests/smoke.yaml", {"six", "six-authors", "twelve"}),
    ],
)
def test_shipped_configurations_are_sound(name: str, games: set[str]) -> None:
    found = plan(read(name))
    assert set(found.games) == games
    families = {found.abstractions[curve.abstraction].family for curve in found.points}
    assert families == {"lossless", "ehs", "paemd", "krwemd", "ev", "embedding"}


def test_the_paper_scale_run_is_the_papers() -> None:
    found = plan(read("config.yaml"))
    assert found.section.budgets == [225, 396]
    assert found.games["numeral211"].classes == [100, 2260, 62020]
    shown = found.studies["figure5"].curves
    assert {max(found.points[curve]) for curve in shown} == {1024}
    for curve in shown:
        averages = found.section.solvers[curve.solver].averages
        assert averages == ["uniform", "advisor", "infoset"]


def test_studies_share_curves(smoke: dict[str, Any]) -> None:
    """A curve that two studies ask for is one job with the points of both."""
    found = plan(smoke)
    curve = Curve("twelve", "hand", "cfr", 0)
    assert curve in found.studies["figure5"].curves
    assert curve in found.studies["sharpness"].curves
    assert found.points[curve] == [1, 5, 20, 50]
    assert found.points[Curve("twelve", "hand/top-2", "cfr", 0)] == [5, 20]
    jobs = [job.job for job in found.jobs()]
    assert len(found.points) == len(found.curves) == sum("embedding_curve" in job for job in jobs)
    assert len(set(jobs)) == len(jobs)


def test_only_what_sees_values_is_made_for_every_stake(smoke: dict[str, Any]) -> None:
    more = copy.deepcopy(smoke)
    more["embedding"]["ablation"]["stakes"]["curves"][0]["abstractions"] = ["hand", "ev"]
    jobs = {job.job for job in plan(more).jobs()}
    assert "embedding_train/six/hand/0" in jobs
    assert "embedding_train/six-authors/hand/0" not in jobs
    assert "embedding_buckets/six-authors/ev/0" in jobs
    assert "embedding_values/six-authors" in jobs
    assert "embedding_transform/twelve/hand/top-2/0" in jobs


def test_a_curve_has_its_phi_and_seed(smoke: dict[str, Any]) -> None:
    found = plan(smoke)
    (phi,) = found.make_curve("six-authors", "ev", "cfr", "0").inputs["phi"]
    assert phi.path == "embedding/phi/six-authors/ev/s0.npz"
    (phi,) = found.make_curve("twelve", "hand/cubed", "cfr-baseline", "0").inputs["phi"]
    assert phi.path == "embedding/phi/twelve/hand/cubed/s0.npz"
    assert phi.inputs["phi"][0].path == "embedding/phi/twelve/hand/s0.npz"
    assert found.make_curve("six", "lossless", "cfr", "0").inputs["phi"] == ()
    assert found.make_curve("twelve", "hand", "cfr", "0").seed is None
    sampled = Curve("twelve", "hand", "sampled", 0)
    assert found.make_curve(**sampled.key).seed == sampled.deal_seed(smoke["seed"])


def test_another_curve_leaves_seeds_as_they_are(smoke: dict[str, Any]) -> None:
    curve = Curve("six", "ehs", "sampled", 0)
    other = Curve("six", "ehs", "sampled", 1)
    assert curve.deal_seed(1) != other.deal_seed(1)
    assert curve.deal_seed(1) == Curve("six", "ehs", "sampled", 0).deal_seed(1)


def put(*path: Any, value: Any) -> Callable[[Section], None]:
    def change(section: Section) -> None:
        place: Any = section
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def curves(study: str, **changed: Any) -> Callable[[Section], None]:
    """The first group of curves of a study, with some keys changed."""

    def change(section: Section) -> None:
        place = section["figure5"] if study == "figure5" else section["ablation"][study]
        place["curves"][0] |= changed

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("budget", value=[1]), r"embedding.budget: unknown key .*did you mean 'budgets'"),
        (put("figure5", "point", value=[1]), r"embedding.figure5.point: unknown key"),
        (put("networks", "hand", "depht", value=1), r"embedding.networks.hand.depht: unknown key"),
        (
            put("networks", "hand", "params", value={"temprature": 1}),
            r"embedding.networks.hand.params.temprature: unknown key .*'temperature'",
        ),
        (
            put("networks", "hand", "supervision", value="strength"),
            r"hand.supervision: .*'winrate'",
        ),
        (put("budgets", value=[8, 91]), r"embedding.budgets\[1\]: 91 is more than the 90 classes"),
        (put("budgets", value=[8]), r"embedding.budgets: 1 given, but game \w+ has 2 rounds"),
        (
            put("networks", "hand-half", "budgets", value=[8, 6, 4]),
            r"embedding.networks.hand-half.budgets: 3 given, but game six has 2 rounds",
        ),
        (
            put("networks", "hand-half", "budgets", value=[125, 6]),
            r"embedding.networks.hand-half.budgets\[0\]: 125 is more than the 124 classes of hands "
            r"in round 2 of game twelve; use at most 124",
        ),
        (put("games", "six", "ranks", value="23"), r"embedding.games.six: .*card"),
        (put("games", "six", "rank", value="23"), r"embedding.games.six.rank: unknown key"),
        (put("games", "six", "zoo", value="numeral"), r"six: unknown game 'numeral' .*numeral211"),
        (put("games", "leduc", value={}), r"embedding.games.leduc: leduc is no game of betting"),
        (
            put("clusterings", "krwemd-linear", "clustering", value="krwemb"),
            r"clusterings.krwemd-linear: unknown clustering 'krwemb' .*did you mean 'krwemd'",
        ),
        (put("clusterings", "ehs", "params", value={"n": 1}), r"ehs.params.n: unknown key"),
        (put("clusterings", "lossless", value={}), r"clusterings.lossless: the label is taken"),
        (put("networks", "ehs", value={"supervision": "krw"}), r"networks.ehs: the label is taken"),
        (put("transforms", "as-trained", value={}), r"transforms.as-trained: the label is taken"),
        (put("transforms", "Cubed", value={}), r"transforms.Cubed: 'Cubed' cannot name files"),
        (put("transforms", "cubed", "power", value=0), r"transforms.cubed.power: .*greater than 0"),
        (put("transforms", "top-2", "top", value=0), r"transforms.top-2.top: "),
        (
            put("transforms", "top-2", "top", value=12),
            r"transforms.top-2.top: 12 keeps all advisors of network hand \(its budgets are 8, 12\)"
            r"; use less than 12",
        ),
        (put("transforms", "nil", value={}), r"embedding.transforms.nil: does nothing; give it"),
        (put("transforms", "nil", value={"power": 1}), r"transforms.nil: does nothing; give it"),
        (
            put("transforms", "cubed", "power", value="3"),
            r"transforms.cubed.power: input should be a valid number, not '3'; write it",
        ),
        (
            put("transforms", "cubed", "cut", value="1e-4"),
            r"transforms.cubed.cut: input .*; write it .* exponent as in 1.0e-4",
        ),
        (
            put("networks", "hand", "params", value={"steps": "400"}),
            r"networks.hand.params.steps: input should be a valid integer, not '400'; write it",
        ),
        (
            put("networks", "hand", "params", value={"hidden": ["32"]}),
            r"networks.hand.params.hidden\[0\]: input should be a valid integer, not '32'",
        ),
        (
            put("clusterings", "ev", "params", value={"variance": "0.9"}),
            r"clusterings.ev.params.variance: input should be a valid number, not '0.9'; write it",
        ),
        (
            put("networks", "hand", "params", value={"steps": 10**10}),
            r"networks.hand.params.steps: .*less than or equal to 1000000000, not 10000000000",
        ),
        (
            put("figure5", "points", value=[1, 10**10]),
            r"embedding.figure5.points\[1\]: .*less than or equal to 1000000000",
        ),
        (put("warmup", "iterations", value=10**10), r"embedding.warmup.iterations: .*1000000000"),
        (
            put("warmup", "averaging", value="1"),
            r"embedding.warmup.averaging: input should be a valid number, not '1'; write it",
        ),
        (
            put("transforms", 3, value={"power": 3}),
            r"embedding.transforms: the key 3 is no text; put it in quotes \('3':\)$",
        ),
        (
            curves("figure5", abstractions=[3]),
            r"curves\[0\].abstractions\[0\]: must be text, not 3; put it in quotes",
        ),
        (
            put("solvers", "floor", "averaging", value=20),
            r"embedding.solvers.floor.averaging: with the power 20, weights of iterations overflow "
            r"at point 40; use at most 19.3$",
        ),
        (
            put("warmup", "averaging", value=1000),
            r"embedding.warmup.averaging: with the power 1000, .* at point 5; use at most 45.5$",
        ),
        (put("solvers", "cfr", "rule", value="cfr-pls"), r"solvers.cfr.rule: .*'cfr-plus'"),
        (put("solvers", "cfr", "averages", value=["advisors"]), r"solvers.cfr.averages\[0\]: "),
        (
            put("solvers", "cfr", "averages", value=["advisor"] * 2),
            r"averages: advisor is listed tw",
        ),
        (put("solvers", "sampled", "deals", value=0), r"solvers.sampled.deals: "),
        (put("device", value="gpu"), r"embedding.device: .*'cpu' or 'cuda'"),
        (put("warmup", "rule", value="crf"), r"embedding.warmup.rule: unknown solver 'crf'"),
        (
            put("figure5", "games", value=["three"]),
            r"embedding.figure5.games: unknown game 'three'",
        ),
        (put("figure5", "points", value=[1, 1]), r"embedding.figure5.points: 1 is listed twice"),
        (
            curves("figure5", abstractions=["ehss"]),
            r"embedding.figure5.curves\[0\].abstractions: unknown abstraction 'ehss' .*'ehs'",
        ),
        (
            curves("sharpness", abstractions=["hand/cubd"]),
            r"ablation.sharpness.curves\[0\].abstractions: unknown .*did you mean 'hand/cubed'",
        ),
        (curves("width", solvers=["crf"]), r"ablation.width.curves\[0\].solvers: unknown solver"),
        (
            curves("figure5", seeds=2),
            r"figure5.curves\[0\].seeds: nothing is random in 'lossless' by 'cfr'; use 1",
        ),
        (
            curves("figure5", abstractions=["lossless", "ehs"]),
            r"embedding.figure5.curves: 'ehs' by 'cfr' is listed twice",
        ),
    ],
)
def test_mistakes(smoke: dict[str, Any], change: Callable[[Section], None], message: str) -> None:
    wrong = copy.deepcopy(smoke)
    change(wrong["embedding"])
    with pytest.raises(CfrlabError, match=message) as caught:
        config.load(wrong, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("power", [0, 1, 19.3, 19.4])
def test_averaging_that_is_accepted_runs(smoke: dict[str, Any], power: float) -> None:
    """The bound is that of the solver."""
    wanted = copy.deepcopy(smoke)
    wanted["embedding"]["solvers"]["floor"]["averaging"] = power
    game = numeral211.rounds(numeral211.Params(ranks="23", suits="cdh", max_raises=0))
    solver = RoundCFR(game, Rule.named("cfr-plus", True, power), averages=("infoset",))
    if power <= 19.3:
        config.load(wanted)
        solver.run(40)
    else:
        for action in (lambda: config.load(wanted), lambda: solver.run(40)):
            with pytest.raises(CfrlabError, match="overflow"):
                action()


def test_only_networks_are_multiplied_on_a_device(smoke: dict[str, Any]) -> None:
    def devices(device: str | None) -> dict[str, Any]:
        wanted = copy.deepcopy(smoke)
        wanted["embedding"]["device"] = device
        curves = plan(wanted).curves
        return {curve.key["abstraction"]: curve.config["device"] for curve in curves}

    found = devices("cuda")
    assert found["hand"] == found["hand/cubed"] == "cuda"
    assert found["lossless"] is found["ehs"] is found["ev"] is None
    assert set(devices(None).values()) == {None}


def only(smoke: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The configuration with these parts of the section alone."""
    section = smoke["embedding"]
    return {**smoke, "embedding": copy.deepcopy({key: section[key] for key in keys})}


NEEDED = ("games", "budgets", "solvers")


def test_parts_may_be_left_out(smoke: dict[str, Any]) -> None:
    """Figure 5 of clusterings alone trains nothing, and an ablation alone draws no Figure 5."""
    figure = only(smoke, *NEEDED, "clusterings", "figure5")
    figure["embedding"]["figure5"]["curves"] = [
        {"abstractions": ["lossless", "ehs"], "solvers": ["cfr"], "seeds": 1}
    ]
    found = plan(figure)
    rules = {job.rule for job in found.jobs()}
    assert "embedding_curve" in rules
    assert not rules & {"embedding_train", "embedding_values", "embedding_neighbours"}
    assert found.figures == ["embedding_fig5"]
    assert "embedding_neighbours" not in found.data

    ablation = only(smoke, *NEEDED, "networks", "transforms", "ablation")
    ablation["embedding"]["ablation"] = {"width": smoke["embedding"]["ablation"]["width"]}
    assert plan(ablation).figures == ["embedding_ablation"]
    sweep = {"sharpness": copy.deepcopy(smoke["embedding"]["ablation"]["sharpness"])}
    sweep["sharpness"]["curves"][0]["abstractions"].remove("ehs")
    ablation["embedding"]["ablation"] = sweep
    assert plan(ablation).figures == ["embedding_ablation", "embedding_sharpness"]


def test_what_a_part_needs_is_missed(smoke: dict[str, Any]) -> None:
    with pytest.raises(CfrlabError, match=r"embedding: asks for no study, .*; add figure5"):
        config.load(only(smoke, *NEEDED))
    without = copy.deepcopy(smoke)
    del without["embedding"]["warmup"]
    with pytest.raises(CfrlabError, match=r"embedding.warmup: missing; 'ev' needs its expected"):
        config.load(without)


def test_budgets_of_two_rounds_may_be_equal(smoke: dict[str, Any]) -> None:
    wanted = copy.deepcopy(smoke)
    wanted["embedding"]["budgets"] = [8, 8]
    assert plan(wanted).make_buckets("six", "ehs", "0").config["budgets"] == [8, 8]


@pytest.mark.parametrize("stage", ["game", "values", "buckets", "train", "transform", "curve"])
def test_artifacts_do_not_depend_on_the_plan_or_the_report(stage: str) -> None:
    """Editing what jobs there are, or how results are shown, computes nothing anew."""
    used = {name for name, _ in provenance.closure(f"cfrlab.papers.embedding.stages.{stage}")}
    assert "cfrlab.papers.embedding.artifacts" in used
    others = ("section", "plan", "studies", "records", "figures", "tables", "labels")
    assert not used & {f"cfrlab.papers.embedding.{name}" for name in others}
    assert not used & {"cfrlab.schema", "cfrlab.pipeline.plan", "cfrlab.reporting.paper"}


def test_a_result_names_the_code_of_plug_ins_behind_it(smoke: dict[str, Any]) -> None:
    plugins = {name for job in plan(smoke).make_figures().behind() for name in job.plugins}
    assert {
        "cfrlab.games.zoo.numeral211",
        "cfrlab.abstraction.clusterings.paemd",
        "cfrlab.solve.rules.cfr_plus",
    } <= plugins


@pytest.mark.parametrize(
    ("taken", "message"),
    [
        ("ROUNDS", "does not define ROUNDS;"),
        ("Params", "does not define Params.ranks: str, Params.suits: str;"),
    ],
)
def test_games_of_rounds_keep_their_contract(
    smoke: dict[str, Any], monkeypatch: pytest.MonkeyPatch, taken: str, message: str
) -> None:
    if taken == "ROUNDS":
        monkeypatch.delattr(numeral211, "ROUNDS")
    else:
        monkeypatch.setattr(numeral211, "Params", leduc.Params)
    line = rf"embedding.games.six: numeral211 is no game of betting rounds .*{message}"
    with pytest.raises(CfrlabError, match=line):
        config.load(smoke)
