"""Bucket maps of games of betting rounds, one plug-in module each.

A clustering module has

- ``Params``: a pydantic model of its options, unknown keys forbidden;
- ``NEEDS_VALUES``: whether it reads the expected values of a warm-up;
- ``buckets(game, budgets, params, rng, values)``: int32 [classes] for every round after the first,
  the bucket of each class, numbered from 0 without gaps. The first round is not clustered.
  ``budgets`` has the most buckets of each of those rounds, and ``values``, None unless
  ``NEEDS_VALUES``, float [classes, d] of every round from the first.

What is clustered are the classes of hands up to suits, each a point of weight one whatever the
number of raw hands in it, as in the papers on these methods. Budgets above the number of classes
are refused; where fewer classes can be told apart than buckets were asked for, each gets a bucket
and the labels show how many there are.
"""
