#!/usr/bin/env python3
"""Makes datasets/shop.db: customers of a shop, their orders, and who of them left.

    make_shop.py datasets/shop.db [--customers=300] [--unknown=20]

Customers who left had most of their orders returned. Some values are NULL, and of the last customers
it is not known whether they leave. The same options make the same rows every time.
"""

import argparse
import sqlite3
from pathlib import Path
from typing import Iterator, List, Tuple

MASK = (1 << 64) - 1
CITIES = ["Brno", "Praha", "Plzen", None]
NOTES = ["as described", "arrived late", "a present", "wrong size", "colour as in the picture"]
SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, age REAL, city TEXT, since DATE, churn BOOLEAN);
CREATE TABLE products (sku TEXT PRIMARY KEY, price REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id),
  product TEXT REFERENCES products, state TEXT, shipped DATE, note TEXT);
"""


class SplitMix:
    """Vigna's generator: the same numbers on every machine."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, bound: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % bound


def day(number: int) -> str:
    """A day of 2020, in months of 28 days."""
    return f"2020-{number // 28 + 1:02}-{number % 28 + 1:02}"


def make_customers(count: int, unknown: int) -> Tuple[List[tuple], List[tuple]]:
    random = SplitMix(1)
    customers, orders = [], []
    for c in range(count):
        leaves = random.below(2)
        known = leaves if c < count - unknown else None
        customers.append((c, 20 + random.below(50), CITIES[random.below(4)], day(random.below(300)), known))
        orders.extend(make_orders(random, c, leaves, len(orders)))
    return customers, orders


def make_orders(random: SplitMix, customer: int, leaves: int, first: int) -> Iterator[tuple]:
    for i in range(2 + random.below(4)):
        returned = random.below(10) < (8 if leaves else 2)
        state = "returned" if returned else None if random.below(3) == 0 else "kept"
        shipped = None if random.below(4) == 0 else day(random.below(300))
        note = f"{NOTES[random.below(5)]} ({first + i})"
        yield first + i, customer, f"p{random.below(10)}", state, shipped, note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--customers", type=int, default=300)
    parser.add_argument("--unknown", type=int, default=20)
    options = parser.parse_args()
    customers, orders = make_customers(options.customers, options.unknown)
    options.path.unlink(missing_ok=True)
    database = sqlite3.connect(options.path)
    with database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO products VALUES (?, ?)", [(f"p{p}", 3 * p + 1) for p in range(10)])
        database.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?)", customers)
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", orders)
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    main()
