"""What every paper's results go through: statistics, claims, plotting, the report, the snapshot."""
