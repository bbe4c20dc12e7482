"""Stages of the workflow, one module each, so that a change reruns no more than it must.

A stage reads artifacts, computes, and writes one artifact; what it needs of the configuration comes
as arguments. The scripts in ``workflow/scripts`` connect it to a rule.
"""
