"""Named games. A module here is a game, found by the module's name.

It has ``Params``, a pydantic model of its options, unknown keys forbidden, and ``build(params,
rng)``, the game (`games.game`). A game of betting rounds with classes of hands, as the embedding
experiments need it (`numeral211` is one), has besides

- ``ROUNDS``: the number of its rounds;
- ``rounds(params)``: the game over classes of hands up to suits (`games.rounds`), with two hole
  cards and one public card before each round but the first;
- in ``Params``, ``ranks`` and ``suits``: the deck, text with one character for each rank and suit.
  With all else equal, games of one deck have the same hands.
"""
