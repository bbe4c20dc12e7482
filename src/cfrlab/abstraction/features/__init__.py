"""Features of hands, one plug-in module each (module ``ev_nd`` is ``ev-nd`` in a config).

A feature module has

- ``Params``: a pydantic model of its options, unknown keys forbidden;
- ``NEEDS_WARMUP``: whether it reads the average profile of a warm-up;
- ``features(game, player, params, profile)``: float64 [hands of the player, d]; ``profile`` is None
  unless ``NEEDS_WARMUP``.
"""
