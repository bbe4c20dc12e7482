"""Information abstraction: features of hands, and the buckets that clustering makes of them."""
