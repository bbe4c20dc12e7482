"""Stages of the workflow, one module each, so that a change reruns no more than it must.

A stage's ``run(job)`` reads artifacts, computes, and writes its output; what it needs of the
configuration it finds in the job. Each is a process of its own, so it imports no library that it
does not use.
"""
