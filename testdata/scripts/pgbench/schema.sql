-- The tables of pgbench, and the scripts that it has built in, written out:
-- accounts and their balances at branches, after TPC-B. Robust: the only query
-- of tpcb_like and simple_update reads the balance that they have just written,
-- and select_only is one query of one row. Whoever writes the same row first
-- wins, and everybody else only adds to sums.
CREATE TABLE pgbench_branches (bid int NOT NULL PRIMARY KEY, bbalance int, filler char(88));
CREATE TABLE pgbench_tellers (tid int NOT NULL PRIMARY KEY, bid int, tbalance int, filler char(84));
CREATE TABLE pgbench_accounts (aid int NOT NULL PRIMARY KEY, bid int, abalance int, filler char(84));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
