"""A shop of any size as an SQLite file: 5 tables, rows that belong together lie all over them."""

import random
import sqlite3
from pathlib import Path

SCHEMA = """
CREATE TABLE shops (id INTEGER PRIMARY KEY, region TEXT, area REAL);
CREATE TABLE products (id INTEGER PRIMARY KEY, kind TEXT, price REAL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, age INTEGER, city TEXT, churn INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers(id),
                     shop INTEGER REFERENCES shops(id), total REAL, state TEXT);
CREATE TABLE reviews (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers(id),
                      product INTEGER REFERENCES products(id), stars INTEGER, medium TEXT);
"""
STATES = ("kept", "returned", "lost", "open")
MEDIA = ("web", "phone", "post")


def table_sizes(rows):
    """Of 100 rows 10 are customers, the target's table, 42 orders and 42 reviews."""
    sizes = {"shops": rows // 100, "products": rows // 20, "customers": rows // 10}
    sizes["orders"] = (rows - sum(sizes.values())) // 2
    sizes["reviews"] = rows - sum(sizes.values())
    return sizes


def row_makers(sizes, draw):
    """By table: the values of its i-th row after the id."""
    def one_of(table):
        return 1 + int(draw() * sizes[table])

    def customer():
        age = None if draw() < 0.05 else 18 + int(draw() * 60)
        return age, f"city{int(draw() * 40)}", int(draw() < (0.2 if age is None else age / 100))

    return {
        "shops": lambda: (f"region{int(draw() * 12)}", round(draw() * 500, 1)),
        "products": lambda: (f"kind{int(draw() * 25)}", round(draw() * 90, 2)),
        "customers": customer,
        "orders": lambda: (one_of("customers"), one_of("shops"), round(draw() * 200, 2),
                           STATES[int(draw() * 4)]),
        "reviews": lambda: (one_of("customers"), one_of("products"), int(draw() * 6),
                            MEDIA[int(draw() * 3)]),
    }


def make_shop(path, rows, seed=0):
    """The same rows for the same numbers; the file appears whole or not at all."""
    sizes = table_sizes(rows)
    unfinished = Path(f"{path}.unfinished")
    unfinished.unlink(missing_ok=True)
    database = sqlite3.connect(unfinished)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA)
    for table, make in row_makers(sizes, random.Random(seed).random).items():
        columns = len(database.execute(f"PRAGMA table_info({table})").fetchall())
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})",
                             ((i, *make()) for i in range(1, sizes[table] + 1)))
    database.commit()
    database.close()
    unfinished.rename(path)
