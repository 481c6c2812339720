"""Prices of single lines."""


def calc(a, b, c):
    x = a * b
    return x - x * c / 100 if b >= 10 else x
