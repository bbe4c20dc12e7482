"""What every job stands on: artifacts, provenance, compiled kernels, checkpoints, logs."""
