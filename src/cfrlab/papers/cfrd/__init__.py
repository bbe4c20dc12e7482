"""The experiments of Burch, Johanson and Bowling (2014): Figures 3 to 5 and the memory claim."""
