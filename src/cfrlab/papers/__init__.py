"""The papers, one folder each."""
