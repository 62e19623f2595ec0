"""Speed, retrieval quality and fault drills, each beside a bar or a peer measured in the same run.

Run one with ``./dev bench NAME``. It may know every room of the product; the product must not know it.
"""
