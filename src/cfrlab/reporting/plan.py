"""The recipe of the report, which follows from those of all papers."""
