"""The experiments of Li and Huang (2026): Tables 1 to 3, Figures 1 to 6 and the DCFR appendix."""
