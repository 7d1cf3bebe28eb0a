"""Numba kernels: arrays in, arrays out. Each has a slow, obvious twin in tests/naive*.py.

Kernels call kernels of other files here, and nothing else of the package: compiled code kept on
disk is thrown away when any file of this folder changes (`_cache`), and only then.

Arguments that belong together are named tuples. They are unpacked before a loop, not in it: taking
an array out of one counts a reference, which costs as much as some dozen steps of a loop.
"""
