"""sqlite3 with a journal and a lock held across two connections."""
import sqlite3

one = sqlite3.connect("data.db", timeout=5)
one.execute("pragma journal_mode = wal")
one.execute("create table t (n integer)")
with one:
    one.executemany("insert into t values (?)", ((n,) for n in range(10_000)))
two = sqlite3.connect("data.db", timeout=5)
print("sum", two.execute("select sum(n) from t").fetchone()[0])
