"""CFR and exact best responses for games of betting rounds, board by board in hand classes.

The sibling of the engine in ``cfrlab.solve`` for games whose private hands change from round to
round (``games.rounds``). It shares update rules and abstraction matrices with it.
"""
