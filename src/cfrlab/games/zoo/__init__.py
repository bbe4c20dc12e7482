"""Named games. A module here is a game: ``Params`` and ``build``, found by the module's name."""
