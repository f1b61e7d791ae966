"""Live solving: answers for end points that move, as fast as the machine allows; never measurements."""
