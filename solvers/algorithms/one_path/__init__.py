"""One path to one target, on one core: variants that stop once it is found."""
