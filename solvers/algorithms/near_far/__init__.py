"""Near-far: delta-stepping with two queues, which repeats fewer relaxations than Bellman-Ford."""
