import unittest

from src.orders import compute_total


class ComputeTotalTest(unittest.TestCase):
    def test_sums_the_prices(self) -> None:
        self.assertEqual(compute_total([1, 2]), 3)

    def test_no_prices_cost_nothing(self) -> None:
        self.assertEqual(compute_total([]), 0)


if __name__ == "__main__":
    unittest.main()
