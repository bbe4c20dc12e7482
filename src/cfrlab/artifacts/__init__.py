"""Files that stages hand to each other: typed, checked, written whole or not at all."""
