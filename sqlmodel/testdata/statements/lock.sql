-- Row locks, table locks, advisory locks.

SELECT x FROM a WHERE k = 1 FOR UPDATE;
-- reads a (k, x) rows {1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT x FROM a WHERE k = 1 FOR NO KEY UPDATE;
-- reads a (k, x) rows {1}
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT x FROM a WHERE k = 1 FOR SHARE;
-- reads a (k, x) rows {1}
-- locks a(1) share
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT x FROM a WHERE k = 1 FOR KEY SHARE;
-- reads a (k, x) rows {1}
-- locks a(1) key share
-- excluded by update s of a(1)

SELECT k FROM a WHERE x = 10 FOR UPDATE;
-- reads a (k, x) rows {1 4}
-- locks a(1) update, a(4) update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

SELECT k FROM a WHERE k = 9 FOR UPDATE;
-- reads a (k) rows {}

SELECT k FROM a ORDER BY k FOR UPDATE;
-- reads a (k) rows {1 2 3 4}
-- locks a(1) update, a(2) update, a(3) update, a(4) update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2), update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

SELECT k FROM a WHERE k = 1 FOR UPDATE NOWAIT;
-- reads a (k) rows {1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT k FROM a WHERE k = 1 FOR UPDATE SKIP LOCKED;
-- reads a (k) rows {1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT id FROM q WHERE state = 'open' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- several outcomes

SELECT a.k, j FROM a JOIN b ON b.k = a.k WHERE b.v = 5 FOR UPDATE;
-- reads a (k) rows {1}
-- reads b (k, j, v) rows {1,1}
-- locks a(1) update, b(1,1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update v of b(1,1), delete b(1,1), move b(1,1)

SELECT a.k, j FROM a JOIN b ON b.k = a.k WHERE b.v = 5 FOR UPDATE OF a;
-- reads a (k) rows {1}
-- reads b (k, j, v) rows {1,1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT a.k, j FROM a JOIN b ON b.k = a.k WHERE b.v = 5 FOR SHARE OF b;
-- reads a (k) rows {1}
-- reads b (k, j, v) rows {1,1}
-- locks b(1,1) share
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1)

SELECT a.k FROM a LEFT JOIN b ON b.k = a.k WHERE a.k = 1 FOR UPDATE OF a;
-- reads a (k) rows {1}
-- reads b (k) rows {1,1 1,2}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT k FROM a WHERE k = 1 FOR SHARE FOR UPDATE;
-- reads a (k) rows {1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

SELECT k FROM (SELECT k FROM a WHERE x = 10 FOR UPDATE) z WHERE k > 1;
-- reads a (k, x) rows {4}
-- locks a(4) update
-- excluded by update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

SELECT k FROM high WHERE k = 2 FOR UPDATE;
-- reads a (k, y) rows {2}
-- locks a(2) update
-- excluded by update x of a(2), update y of a(2), update s of a(2)

SELECT count(*) FROM (SELECT k FROM a WHERE k = 1 FOR UPDATE) z;
-- reads a (k) rows {1}
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = 5 WHERE k = (SELECT k FROM a WHERE x = 20 FOR UPDATE);
-- reads a (k, x) rows {2}
-- reads a (k) rows {2}
-- reads a (x) rows {2}
-- update a(2) x = 5
-- locks a(2) update
-- excluded by update x of a(2), update y of a(2), update s of a(2)

SELECT k FROM a WHERE k = 1 AND pg_advisory_xact_lock(1) IS NOT NULL;
-- reads a (k) rows {1}

SELECT pg_try_advisory_xact_lock(2) IS NOT NULL;
-- touches nothing

LOCK TABLE a;
-- reads a () rows {1}

LOCK TABLE a IN SHARE ROW EXCLUSIVE MODE;
-- reads a () rows {1}

LOCK TABLE a, b IN SHARE MODE;
-- reads a () rows {1}

LOCK TABLE b IN ROW EXCLUSIVE MODE;
-- reads b () rows {1,1}
