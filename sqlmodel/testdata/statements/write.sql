-- INSERT, UPDATE and DELETE.

INSERT INTO a (k, x) VALUES (5, 50);
-- insert a(5) x = 50, y = 7, s = null

INSERT INTO a VALUES (5, 50, 1, 'five'), (6, 60, 2, 'six');
-- insert a(5) x = 50, y = 1, s = 'five'
-- insert a(6) x = 60, y = 2, s = 'six'

INSERT INTO a (k) VALUES (1);
-- fails: a row with this key exists in a

INSERT INTO a (k, y) VALUES (5, NULL);
-- fails: null in column a.y

INSERT INTO a (k, s) VALUES (5, 'one');
-- fails: a row with this key exists in a

INSERT INTO a (k, s) VALUES (5, DEFAULT) RETURNING k, y, s;
-- insert a(5) x = null, y = 7, s = null

INSERT INTO a (k, x) SELECT 9, 1;
-- insert a(9) x = 1, y = 7, s = null

INSERT INTO a (k, x) SELECT k + 10, x FROM a WHERE x = 10;
-- reads a (k, x) rows {1 4}
-- insert a(11) x = 10, y = 7, s = null
-- insert a(14) x = 10, y = 7, s = null

INSERT INTO a (k, x) SELECT 7, 1 WHERE NOT EXISTS (SELECT 1 FROM a WHERE k = 7);
-- reads a (k) rows {}
-- insert a(7) x = 1, y = 7, s = null

INSERT INTO a (k, x) SELECT 1, 1 WHERE NOT EXISTS (SELECT 1 FROM a WHERE k = 1);
-- reads a (k) rows {1}

INSERT INTO a (k, x) SELECT COALESCE(max(k), 0) + 1, 0 FROM a;
-- reads a (k) rows {4}
-- insert a(5) x = 0, y = 7, s = null

INSERT INTO a (k, x) SELECT (SELECT max(k) + 1 FROM a), 3;
-- reads a (k) rows {4}
-- insert a(5) x = 3, y = 7, s = null

INSERT INTO b (k, j, v) VALUES (1, 3, 1);
-- insert b(1,3) v = 1
-- locks a(1) key share
-- excluded by update s of a(1)

INSERT INTO b (k, j, v) VALUES (9, 1, 1);
-- insert b(9,1) v = 1
-- fails: foreign key b_k_fkey is violated

INSERT INTO b (k, j, v) VALUES (1, 1, 1);
-- fails: a row with this key exists in b

INSERT INTO b (k, j, v) SELECT k, 7, x FROM a WHERE y = 7;
-- reads a (k, x, y) rows {2 3}
-- insert b(2,7) v = 20
-- insert b(3,7) v = null
-- locks a(2) key share, a(3) key share
-- excluded by update s of a(2), update s of a(3), delete a(3), move a(3)

INSERT INTO b (k, j) SELECT a.k, 8 FROM a LEFT JOIN b ON b.k = a.k WHERE b.k IS NULL;
-- reads a (k) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2 2,1}
-- insert b(3,8) v = null
-- insert b(4,8) v = null
-- locks a(3) key share, a(4) key share
-- excluded by update s of a(3), delete a(3), move a(3), update s of a(4), delete a(4), move a(4)

INSERT INTO log VALUES ('x', 1);
-- insert log

INSERT INTO log (msg, n) SELECT s, count(*) FROM a GROUP BY s;
-- reads a (s) rows {1 2 3 4}
-- insert log
-- insert log
-- insert log
-- insert log

INSERT INTO log (n) SELECT k FROM a UNION SELECT j FROM b;
-- reads a (k) rows {1 2 3 4}
-- reads b (j) rows {1,1 1,2 2,1}
-- insert log
-- insert log
-- insert log
-- insert log

INSERT INTO log (msg) VALUES ('p') RETURNING msg, n;
-- insert log

INSERT INTO log DEFAULT VALUES;
-- insert log

INSERT INTO q (id, state, owner) VALUES (4, 'open', 1);
-- fails: a row with this key exists in q

INSERT INTO q (id, state, owner) VALUES (4, 'done', 1);
-- insert q(4) state = 'done', owner = 1

INSERT INTO q (id, state, owner) VALUES (4, 'open', NULL);
-- insert q(4) state = 'open', owner = null

INSERT INTO q (id, state, owner) VALUES (4, 'open', 2);
-- insert q(4) state = 'open', owner = 2

INSERT INTO g (id, p) VALUES (3, 5) RETURNING twice;
-- insert g(3) p = 5, twice = 10

INSERT INTO g (id, p) VALUES (3, -1);
-- fails: check g_check1 is violated

INSERT INTO g (id, p) VALUES (3, NULL);
-- insert g(3) p = null, twice = null

INSERT INTO u (id, email) VALUES (3, 'c@x');
-- insert u(3) email = 'c@x', n = null, u_email 1 = 'c@x'

INSERT INTO u (id, email) VALUES (3, 'B@X');
-- fails: a row with this key exists in u

INSERT INTO span (id, lo, hi) VALUES (3, 9, 12);
-- insert span(3) lo = 9, hi = 12

INSERT INTO span (id, lo, hi) VALUES (3, 2, 2);
-- insert span(3) lo = 2, hi = 2

INSERT INTO span (id, lo, hi) VALUES (3, 12, 11);
-- fails: check span_int4range_excl is violated

INSERT INTO span (id, lo, hi) VALUES (3, NULL, 1);
-- fails: exclusion span_int4range_excl is violated

INSERT INTO span (id, lo, hi) VALUES (3, NULL, 0), (4, 9, NULL);
-- insert span(3) lo = null, hi = 0
-- insert span(4) lo = 9, hi = null

INSERT INTO span (id, lo, hi) VALUES (3, 9, 11), (4, 10, 12);
-- insert span(3) lo = 9, hi = 11
-- fails: exclusion span_int4range_excl is violated

INSERT INTO span (id, lo, hi) VALUES (3, 4, 6) ON CONFLICT (id) DO NOTHING;
-- fails: exclusion span_int4range_excl is violated

INSERT INTO span (id, lo, hi) VALUES (3, 9, 10) ON CONFLICT (id) DO UPDATE SET hi = 10;
-- insert span(3) lo = 9, hi = 10

INSERT INTO room (id, open, code) VALUES (3, true, 2);
-- insert room(3) during = null, open = true, code = 2

INSERT INTO room (id, open, code) VALUES (3, true, NULL);
-- fails: exclusion room_code_key is violated

INSERT INTO room (id, open, code) VALUES (3, true, NULL) ON CONFLICT DO NOTHING;
-- reads room (id, during, open, code) rows {2}
-- excluded by move room(2)

INSERT INTO room (id, open, code) VALUES (3, true, 4) ON CONFLICT (code) DO NOTHING;
-- not modelled, touches room: ON CONFLICT on room_code_key

INSERT INTO span (id, lo, hi) VALUES (3, 4, 6);
-- fails: exclusion span_int4range_excl is violated

INSERT INTO child (id, parent_id) VALUES (3, 2);
-- insert child(3) parent_id = 2, n = null
-- locks parent(2) key share
-- excluded by delete parent(2), move parent(2)

INSERT INTO child (id, parent_id) VALUES (3, NULL);
-- insert child(3) parent_id = null, n = null

INSERT INTO child (id, parent_id) VALUES (3, 9);
-- insert child(3) parent_id = 9, n = null
-- fails: foreign key child_parent_id_fkey is violated

INSERT INTO late (id, up, n) VALUES (3, 2, 1);
-- insert late(3) up = 2, n = 1
-- locks late(2) key share
-- excluded by delete late(2), move late(2)

INSERT INTO ser (v) VALUES (1);
-- insert ser(1099511628777) v = 1

INSERT INTO a (k, x) VALUES (1, 0) ON CONFLICT DO NOTHING;
-- reads a (k, x, y, s) rows {1}
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a (k, x) VALUES (5, 0) ON CONFLICT DO NOTHING;
-- insert a(5) x = 0, y = 7, s = null

INSERT INTO a (k, x) VALUES (1, 0) ON CONFLICT (k) DO NOTHING;
-- reads a (k, x, y, s) rows {1}
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a (k, s) VALUES (5, 'one') ON CONFLICT (s) DO NOTHING;
-- reads a (k, x, y, s) rows {1}
-- excluded by update x of a(1), update y of a(1)

INSERT INTO a (k, s) VALUES (1, 'new') ON CONFLICT (s) DO NOTHING;
-- fails: a row with this key exists in a

INSERT INTO a (k, x) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET x = a.x + excluded.x;
-- reads a (k, x, y, s) rows {1}
-- update a(1) x = 15
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a (k, x) VALUES (5, 5) ON CONFLICT (k) DO UPDATE SET x = a.x + excluded.x;
-- insert a(5) x = 5, y = 7, s = null

INSERT INTO a (k, x) VALUES (2, 5) ON CONFLICT (k) DO UPDATE SET x = excluded.x WHERE a.y > 100;
-- reads a (k, x, y, s) rows {2}
-- locks a(2) no key update
-- excluded by update x of a(2), update y of a(2), update s of a(2)

INSERT INTO a (k, x) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET x = excluded.x RETURNING x, y;
-- reads a (k, x, y, s) rows {1}
-- reads a (k, x, y) rows {1}
-- update a(1) x = 5
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a AS t (k, x) VALUES (4, 5) ON CONFLICT ON CONSTRAINT a_pkey DO UPDATE SET y = t.y + 1;
-- reads a (k, x, y, s) rows {4}
-- update a(4) y = 10
-- locks a(4) no key update
-- excluded by update x of a(4), update y of a(4), update s of a(4)

INSERT INTO a (k, s) VALUES (8, 'two') ON CONFLICT (s) DO UPDATE SET x = 99;
-- reads a (k, x, y, s) rows {2}
-- update a(2) x = 99
-- locks a(2) no key update
-- excluded by update x of a(2), update y of a(2)

INSERT INTO a (k, x) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET k = excluded.k, x = excluded.x;
-- reads a (k, x, y, s) rows {1}
-- update a(1) x = 5
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a (k, x) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET k = excluded.k RETURNING x;
-- reads a (k, x, y, s) rows {1}
-- reads a (k, x) rows {1}
-- update a(1) x = 10
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

INSERT INTO a (k, s) VALUES (8, 'two') ON CONFLICT (s) DO UPDATE SET s = excluded.s RETURNING k;
-- reads a (k, x, y, s) rows {2}
-- reads a (k, s) rows {2}
-- update a(2) s = 'two'
-- locks a(2) update
-- excluded by update x of a(2), update y of a(2)

INSERT INTO a (k, s) VALUES (8, 'two') ON CONFLICT (s) DO UPDATE SET s = a.s, x = 1 WHERE a.y > 100;
-- reads a (k, x, y, s) rows {2}
-- locks a(2) update
-- excluded by update x of a(2), update y of a(2)

INSERT INTO q (id, state, owner) VALUES (4, 'open', 1) ON CONFLICT (owner) WHERE state = 'open' DO NOTHING;
-- reads q (id, state, owner) rows {1}
-- excluded by move q(1)

INSERT INTO q (id, state, owner) VALUES (4, 'open', 2) ON CONFLICT (owner) WHERE state = 'open' DO NOTHING;
-- insert q(4) state = 'open', owner = 2

INSERT INTO q (id, state, owner) VALUES (4, 'open', 1) ON CONFLICT (owner) WHERE state = 'open' DO UPDATE SET state = 'done';
-- reads q (id, state, owner) rows {1}
-- update q(1) state = 'done'
-- locks q(1) no key update
-- excluded by move q(1)

INSERT INTO q (id, state, owner) VALUES (4, 'open', 1) ON CONFLICT (owner) WHERE state = 'open' DO UPDATE SET owner = excluded.owner RETURNING id;
-- reads q (id, state, owner) rows {1}
-- update q(1) owner = 1
-- locks q(1) no key update
-- excluded by move q(1)

INSERT INTO q (id, state, owner) VALUES (4, 'done', 1) ON CONFLICT (owner) WHERE state = 'open' DO UPDATE SET owner = q.owner RETURNING id;
-- reads q (id, state, owner) rows {}
-- insert q(4) state = 'done', owner = 1

INSERT INTO q (id, state, owner) VALUES (4, 'open', 1) ON CONFLICT (owner) WHERE state = 'open' DO UPDATE SET state = 'done' RETURNING id;
-- not modelled, touches q: RETURNING of an ON CONFLICT DO UPDATE that changes the column in conflict, state

INSERT INTO u (id, email) VALUES (3, 'B@X') ON CONFLICT (lower(email)) DO NOTHING;
-- reads u (id, email, n, u_email 1) rows {2}
-- excluded by update n of u(2), move u(2)

INSERT INTO a (k, x) VALUES (1, 1), (5, 5) ON CONFLICT (k) DO NOTHING;
-- reads a (k, x, y, s) rows {1}
-- insert a(5) x = 5, y = 7, s = null
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = 1 WHERE k = 1;
-- reads a (k) rows {1}
-- update a(1) x = 1
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = 1 WHERE k = 9;
-- reads a (k) rows {}

UPDATE a SET x = x + 1;
-- reads a (x) rows {1 2 3 4}
-- update a(1) x = 11
-- update a(2) x = 21
-- update a(3) x = null
-- update a(4) x = 11
-- locks a(1) no key update, a(2) no key update, a(3) no key update, a(4) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2), update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET x = y, y = 2 WHERE x = 10;
-- reads a (x, y) rows {1 4}
-- update a(1) x = 1, y = 2
-- update a(4) x = 9, y = 2
-- locks a(1) no key update, a(4) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET x = NULL WHERE s IS NOT NULL;
-- reads a (s) rows {1 2 4}
-- update a(1) x = null
-- update a(2) x = null
-- update a(4) x = null
-- locks a(1) no key update, a(2) no key update, a(4) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET x = DEFAULT, y = DEFAULT WHERE k = 1;
-- reads a (k) rows {1}
-- update a(1) x = null, y = 7
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET y = NULL WHERE k = 1;
-- reads a (k) rows {1}
-- fails: null in column a.y

UPDATE a SET s = 'two' WHERE k = 1;
-- reads a (k) rows {1}
-- update a(1) s = 'two'
-- fails: a row with this key exists in a
-- locks a(1) update

UPDATE a SET s = 'neu' WHERE k = 1;
-- reads a (k) rows {1}
-- update a(1) s = 'neu'
-- locks a(1) update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET s = s WHERE k = 1;
-- reads a (k, s) rows {1}
-- update a(1) s = 'one'
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = x WHERE k = 2;
-- reads a (k, x) rows {2}
-- update a(2) x = 20
-- locks a(2) no key update
-- excluded by update x of a(2), update y of a(2), update s of a(2)

UPDATE a SET (x, y) = (1, 2) WHERE k = 3;
-- reads a (k) rows {3}
-- update a(3) x = 1, y = 2
-- locks a(3) no key update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

UPDATE a SET (x, y) = (SELECT v, j FROM b WHERE b.k = 1 AND b.j = 2) WHERE k = 3;
-- reads b (k, j, v) rows {1,2}
-- reads a (k) rows {3}
-- update a(3) x = 6, y = 2
-- locks a(3) no key update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

UPDATE a SET x = (SELECT sum(v) FROM b WHERE b.k = a.k);
-- reads b (k, v) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2 3 4}
-- update a(1) x = 11
-- update a(2) x = null
-- update a(3) x = null
-- update a(4) x = null
-- locks a(1) no key update, a(2) no key update, a(3) no key update, a(4) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2), update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET x = (SELECT max(v) FROM b) WHERE k = 1;
-- reads b (v) rows {1,2}
-- reads a (k) rows {1}
-- update a(1) x = 6
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = b.v FROM b WHERE b.k = a.k AND b.j = 1;
-- reads a (k) rows {1 2}
-- reads b (k, j, v) rows {1,1 2,1}
-- reads a (k) rows {1}
-- reads a (k) rows {2}
-- update a(1) x = 5
-- update a(2) x = null
-- locks a(1) no key update, a(2) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2)

UPDATE a SET x = 0 FROM b WHERE b.k = a.k;
-- reads b (k) rows {1,1 1,2}
-- reads b (k) rows {2,1}
-- reads b (k) rows {}
-- reads a (k) rows {1 2}
-- update a(1) x = 0
-- update a(2) x = 0
-- locks a(1) no key update, a(2) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2)

UPDATE a SET x = z.n FROM (SELECT k, count(*) AS n FROM b GROUP BY k) z WHERE z.k = a.k;
-- reads b (k) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2}
-- update a(1) x = 2
-- update a(2) x = 1
-- locks a(1) no key update, a(2) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2)

UPDATE a AS t SET x = 3 WHERE t.k IN (SELECT k FROM b WHERE v > 5);
-- reads b (k, v) rows {1,2}
-- reads b (k, v) rows {}
-- reads a (k) rows {1}
-- update a(1) x = 3
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = 3 WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- reads b (k) rows {1,1 1,2}
-- reads b (k) rows {2,1}
-- reads b (k) rows {}
-- reads a (k) rows {3 4}
-- update a(3) x = 3
-- update a(4) x = 3
-- locks a(3) no key update, a(4) no key update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3), update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET x = CASE WHEN y > 5 THEN 1 ELSE x END WHERE k < 3;
-- reads a (k, x, y) rows {1 2}
-- update a(1) x = 10
-- update a(2) x = 1
-- locks a(1) no key update, a(2) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1), update x of a(2), update y of a(2), update s of a(2)

UPDATE a SET x = x - 1 WHERE k = 1 AND x >= 10 RETURNING x;
-- reads a (k, x) rows {1}
-- update a(1) x = 9
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET x = x - 1 WHERE y = 7 RETURNING k, x;
-- reads a (k, x, y) rows {2 3}
-- reads a (x, y) rows {2 3}
-- update a(2) x = 19
-- update a(3) x = null
-- locks a(2) no key update, a(3) no key update
-- excluded by update x of a(2), update y of a(2), update s of a(2), update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

UPDATE a SET x = 1 WHERE k = 1 RETURNING *;
-- reads a (k, y, s) rows {1}
-- reads a (k) rows {1}
-- update a(1) x = 1
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE b SET v = 1 WHERE k = 1;
-- reads b (k) rows {1,1 1,2}
-- update b(1,1) v = 1
-- update b(1,2) v = 1
-- locks b(1,1) no key update, b(1,2) no key update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1), update v of b(1,2), delete b(1,2), move b(1,2)

UPDATE b SET v = v + 1 WHERE (k, j) = (1, 2);
-- reads b (k, j, v) rows {1,2}
-- update b(1,2) v = 7
-- locks b(1,2) no key update
-- excluded by update v of b(1,2), delete b(1,2), move b(1,2)

UPDATE q SET state = 'open' WHERE id = 2;
-- reads q (id) rows {2}
-- update q(2) state = 'open'
-- fails: a row with this key exists in q
-- locks q(2) no key update

UPDATE q SET state = 'done' WHERE id = 1;
-- reads q (id) rows {1}
-- update q(1) state = 'done'
-- locks q(1) no key update
-- excluded by update state of q(1), update owner of q(1), delete q(1), move q(1)

UPDATE q SET owner = 1 WHERE id = 3;
-- reads q (id) rows {3}
-- update q(3) owner = 1
-- fails: a row with this key exists in q
-- locks q(3) no key update

UPDATE g SET p = p + 1 WHERE id = 1;
-- reads g (id, p) rows {1}
-- update g(1) p = 4, twice = 8
-- locks g(1) no key update
-- excluded by update p of g(1), delete g(1), move g(1)

UPDATE g SET p = -1 WHERE id = 1;
-- reads g (id) rows {1}
-- fails: check g_check1 is violated

UPDATE u SET n = 5 WHERE id = 1;
-- reads u (id) rows {1}
-- update u(1) n = 5
-- locks u(1) no key update
-- excluded by update email of u(1), update n of u(1), delete u(1), move u(1)

UPDATE u SET email = 'z' WHERE id = 1;
-- reads u (id) rows {1}
-- update u(1) email = 'z', u_email 1 = 'z'
-- locks u(1) no key update
-- excluded by update email of u(1), update n of u(1), delete u(1), move u(1)

UPDATE log SET n = n + 1;
-- reads log (n) rows {0}
-- update log
-- locks log(0) no key update

UPDATE child SET n = 3 WHERE id = 1;
-- reads child (id) rows {1}
-- update child(1) n = 3
-- locks child(1) no key update
-- excluded by delete parent(1), update parent_id of child(1), update n of child(1), delete child(1), move child(1)

UPDATE child SET parent_id = 2 WHERE id = 1;
-- reads child (id) rows {1}
-- update child(1) parent_id = 2
-- locks child(1) no key update, parent(2) key share
-- excluded by delete parent(1), delete parent(2), move parent(2), update parent_id of child(1), update n of child(1), delete child(1), move child(1)

UPDATE child SET parent_id = NULL WHERE id = 1;
-- reads child (id) rows {1}
-- update child(1) parent_id = null
-- locks child(1) no key update
-- excluded by delete parent(1), update parent_id of child(1), update n of child(1), delete child(1), move child(1)

UPDATE late SET up = 2 WHERE id = 1;
-- reads late (id) rows {1}
-- update late(1) up = 2
-- locks late(1) no key update, late(2) key share
-- excluded by update up of late(1), update n of late(1), delete late(2), move late(2)

UPDATE late SET n = 9 WHERE id = 1;
-- reads late (id) rows {1}
-- update late(1) n = 9
-- locks late(1) no key update
-- excluded by update up of late(1), update n of late(1)

UPDATE span SET hi = 6 WHERE id = 1;
-- reads span (id) rows {1}
-- update span(1) hi = 6
-- fails: exclusion span_int4range_excl is violated
-- locks span(1) no key update

UPDATE room SET code = NULL WHERE id = 1;
-- reads room (id) rows {1}
-- update room(1) code = null
-- fails: exclusion room_code_key is violated
-- locks room(1) update

UPDATE room SET code = 1 WHERE id = 1;
-- reads room (id) rows {1}
-- update room(1) code = 1
-- locks room(1) no key update
-- excluded by update open of room(1), update code of room(1), delete room(1), move room(1)

UPDATE span SET lo = 1 WHERE id = 1;
-- reads span (id) rows {1}
-- update span(1) lo = 1
-- locks span(1) no key update
-- excluded by update lo of span(1), update hi of span(1), delete span(1), move span(1)

UPDATE a SET k = 9 WHERE k = 4;
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- insert a(9) x = 10, y = 9, s = 'four'
-- locks a(4) update
-- excluded by update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE high SET x = 1 WHERE k = 2;
-- reads a (k, y) rows {2}
-- update a(2) x = 1
-- locks a(2) no key update
-- excluded by update x of a(2), update y of a(2), update s of a(2)

DELETE FROM a WHERE k = 3;
-- reads a (k) rows {3}
-- delete a(3)
-- locks a(3) update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

DELETE FROM a WHERE k = 1;
-- reads a (k) rows {1}
-- delete a(1)
-- fails: foreign key b_k_fkey is violated
-- locks a(1) update

DELETE FROM a WHERE k = 9;
-- reads a (k) rows {}

DELETE FROM b;
-- reads b () rows {1,1 1,2 2,1}
-- delete b(1,1)
-- delete b(1,2)
-- delete b(2,1)
-- locks b(1,1) update, b(1,2) update, b(2,1) update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1), update v of b(1,2), delete b(1,2), move b(1,2), update v of b(2,1), delete b(2,1), move b(2,1)

DELETE FROM b WHERE k = 1 AND j = 1 RETURNING v;
-- reads b (k, j, v) rows {1,1}
-- reads b (k, j) rows {1,1}
-- delete b(1,1)
-- locks b(1,1) update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1)

DELETE FROM b WHERE v IS NULL;
-- reads b (v) rows {2,1}
-- delete b(2,1)
-- locks b(2,1) update
-- excluded by update v of b(2,1), delete b(2,1), move b(2,1)

DELETE FROM b USING a WHERE a.k = b.k AND a.x = 10;
-- reads a (k, x) rows {1}
-- reads a (k, x) rows {}
-- reads b (k) rows {1,1 1,2}
-- delete b(1,1)
-- delete b(1,2)
-- locks b(1,1) update, b(1,2) update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1), update v of b(1,2), delete b(1,2), move b(1,2)

DELETE FROM b WHERE k IN (SELECT k FROM a WHERE y = 7);
-- reads a (k, y) rows {}
-- reads a (k, y) rows {2}
-- reads b (k) rows {2,1}
-- delete b(2,1)
-- locks b(2,1) update
-- excluded by update v of b(2,1), delete b(2,1), move b(2,1)

DELETE FROM b WHERE v < (SELECT max(v) FROM b);
-- reads b (v) rows {1,2}
-- reads b (v) rows {1,1}
-- delete b(1,1)
-- locks b(1,1) update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1)

DELETE FROM b WHERE k = (SELECT min(k) FROM a);
-- reads a (k) rows {1}
-- reads b (k) rows {1,1 1,2}
-- delete b(1,1)
-- delete b(1,2)
-- locks b(1,1) update, b(1,2) update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1), update v of b(1,2), delete b(1,2), move b(1,2)

DELETE FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AND s IS NULL;
-- reads b (k) rows {}
-- reads a (k, s) rows {3}
-- delete a(3)
-- locks a(3) update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

DELETE FROM log;
-- reads log () rows {0}
-- delete log
-- locks log(0) update

DELETE FROM log WHERE n = 5;
-- reads log (n) rows {}

DELETE FROM q WHERE state = 'open' AND owner IS NULL;
-- reads q (state, owner) rows {3}
-- delete q(3)
-- locks q(3) update
-- excluded by update state of q(3), update owner of q(3), delete q(3), move q(3)

DELETE FROM parent WHERE id = 2;
-- reads parent (id) rows {2}
-- reads child (parent_id) rows {}
-- reads loose (parent_id) rows {}
-- delete parent(2)
-- locks parent(2) update
-- excluded by update name of parent(2), delete parent(2), move parent(2), update parent_id of child(1), update parent_id of child(2), update parent_id of loose(1)

DELETE FROM parent WHERE id = 1;
-- reads parent (id) rows {1}
-- reads child (parent_id) rows {1}
-- reads loose (parent_id) rows {1}
-- delete parent(1)
-- delete child(1)
-- update loose(1) parent_id = null
-- locks child(1) update, loose(1) no key update, parent(1) update
-- excluded by update name of parent(1), delete parent(1), update n of child(1), move child(1), update n of loose(1), move loose(1)

DELETE FROM loose WHERE id = 1;
-- reads loose (id) rows {1}
-- delete loose(1)
-- locks loose(1) update
-- excluded by delete parent(1), update parent_id of loose(1), update n of loose(1), delete loose(1), move loose(1)

DELETE FROM late WHERE id = 2;
-- reads late (id) rows {2}
-- delete late(2)
-- locks late(2) update
-- excluded by update up of late(1), update up of late(2), update n of late(2), delete late(2), move late(2)

DELETE FROM late WHERE id = 1;
-- reads late (id) rows {1}
-- delete late(1)
-- fails: foreign key late_up_fkey is violated
-- locks late(1) update

MERGE INTO a USING (VALUES (1, 5), (8, 6)) AS z (k, v) ON z.k = a.k WHEN MATCHED THEN UPDATE SET x = z.v WHEN NOT MATCHED THEN INSERT (k, x) VALUES (z.k, z.v);
-- not modelled, touches a, b: a subquery in FROM

WITH d AS (DELETE FROM b WHERE k = 2 RETURNING k, j) INSERT INTO log (msg, n) SELECT 'gone', j FROM d;
-- reads b (k, j) rows {2,1}
-- reads b (k) rows {2,1}
-- delete b(2,1)
-- insert log
-- locks b(2,1) update
-- excluded by update v of b(2,1), delete b(2,1), move b(2,1)

WITH i AS (INSERT INTO a (k, x) VALUES (5, 1) RETURNING k) INSERT INTO log (n) SELECT k FROM i;
-- insert a(5) x = 1, y = 7, s = null
-- insert log

WITH n AS (UPDATE a SET x = x + 1 WHERE k = 1 RETURNING x) SELECT x FROM n;
-- reads a (k, x) rows {1}
-- update a(1) x = 11
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

MERGE INTO a USING (SELECT 1 AS k, 5 AS v) z ON z.k = a.k WHEN MATCHED THEN UPDATE SET x = z.v WHEN NOT MATCHED THEN INSERT (k, x) VALUES (z.k, z.v);
-- reads a (k) rows {1}
-- update a(1) x = 5
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

MERGE INTO a USING (VALUES (8, 6)) AS z (k, v) ON z.k = a.k WHEN MATCHED THEN UPDATE SET x = z.v WHEN NOT MATCHED THEN INSERT (k, x) VALUES (z.k, z.v);
-- reads a (k) rows {}
-- insert a(8) x = 6, y = 7, s = null

MERGE INTO a USING (SELECT 1 AS k) z ON z.k = a.k WHEN MATCHED AND x = 11 THEN UPDATE SET x = 5 WHEN NOT MATCHED THEN INSERT (k) VALUES (z.k);
-- reads a (k) rows {1}
-- reads a (k, x) rows {}

MERGE INTO a USING (SELECT 1 AS k) z ON z.k = a.k WHEN MATCHED AND x = 10 THEN DO NOTHING WHEN MATCHED AND x > 2 THEN UPDATE SET x = 5 WHEN MATCHED THEN DELETE;
-- reads a (k, x) rows {}

MERGE INTO a USING b ON a.k = b.k + 2 AND b.v > 4 WHEN MATCHED THEN UPDATE SET x = b.v;
-- reads a (k) rows {3}
-- reads b (k, j, v) rows {1,1 1,2}
-- fails: an assumption does not hold

MERGE INTO a USING b ON a.k = b.j WHEN MATCHED THEN UPDATE SET x = b.v WHEN NOT MATCHED THEN INSERT (k, x) VALUES (b.j, b.v);
-- reads a (k) rows {1}
-- reads b (k, j) rows {1,1 2,1}
-- fails: an assumption does not hold

MERGE INTO b USING a ON b.k = a.k AND b.j = 1 WHEN MATCHED AND a.x = 10 THEN DELETE WHEN MATCHED THEN UPDATE SET v = a.x;
-- reads b (k, j) rows {1,1 2,1}
-- reads a (k, x) rows {1 2}
-- reads b (k, j) rows {1,1}
-- reads b (k, j) rows {2,1}
-- delete b(1,1)
-- update b(2,1) v = 20
-- locks b(1,1) update, b(2,1) no key update
-- excluded by update v of b(1,1), delete b(1,1), move b(1,1), update v of b(2,1), delete b(2,1), move b(2,1)

MERGE INTO b USING a ON b.k = a.k AND b.j = 1 WHEN NOT MATCHED AND a.x = 10 THEN INSERT (k, j, v) VALUES (a.k, 1, a.y);
-- reads b (k, j) rows {1,1}
-- reads b (k, j) rows {}
-- reads a (k, x, y) rows {4}
-- insert b(4,1) v = 9
-- locks a(4) key share
-- excluded by update s of a(4), delete a(4), move a(4)

MERGE INTO parent USING (SELECT 2 AS id) z ON z.id = parent.id WHEN MATCHED THEN DELETE;
-- not modelled, touches parent, child, loose: ON DELETE CASCADE of foreign key child_parent_id_fkey, in MERGE
