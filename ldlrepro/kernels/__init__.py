"""Numba kernels: arrays in, arrays out. Each has a slow, obvious twin in tests/naive.py.

A kernel calls kernels of its own file only: numba's disk cache looks at that file's date and at no
other, so a change in an imported kernel would go unnoticed.
"""
