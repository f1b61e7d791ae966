"""Near-far: delta-stepping with two queues, where Bellman-Ford would relax the same arcs again and again."""
