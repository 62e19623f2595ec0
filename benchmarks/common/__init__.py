"""What the benchmarks share: stores that vanish, clocks that compare, tables that say whether a bar is met."""
