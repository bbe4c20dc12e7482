"""What the tables and figures of each paper are made of, and its claims checked."""
