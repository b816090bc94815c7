-- What PostgreSQL refuses.

UPDATE place SET pos = pos + 1;
-- reads place (n) rows {}
-- reads place (pos) rows {1 2 3}
-- update place(1) pos = 2
-- update place(2) pos = 3
-- update place(3) pos = 6
-- locks place(1) update, place(2) update, place(3) update
-- may fail: the error of unique key place_pos_key, which is checked while the rows are updated one by one
-- excluded by update pos of place(1), update n of place(1), delete place(1), move place(1), update pos of place(2), update n of place(2), delete place(2), move place(2), update pos of place(3), update n of place(3), delete place(3), move place(3)

UPDATE place SET pos = pos - 1;
-- reads place (n) rows {}
-- reads place (pos) rows {1 2 3}
-- update place(1) pos = 0
-- update place(2) pos = 1
-- update place(3) pos = 4
-- locks place(1) update, place(2) update, place(3) update
-- may fail: the error of unique key place_pos_key, which is checked while the rows are updated one by one
-- excluded by update pos of place(1), update n of place(1), delete place(1), move place(1), update pos of place(2), update n of place(2), delete place(2), move place(2), update pos of place(3), update n of place(3), delete place(3), move place(3)

UPDATE place SET pos = 7 WHERE pos > 1;
-- reads place (pos, n) rows {}
-- reads place (pos) rows {2 3}
-- update place(2) pos = 7
-- update place(3) pos = 7
-- fails: a row with this key exists in place
-- locks place(2) update, place(3) update

UPDATE place SET pos = pos + 1 WHERE id = 1;
-- reads place (id, n) rows {}
-- reads place (id, pos) rows {1}
-- update place(1) pos = 2
-- fails: a row with this key exists in place
-- locks place(1) update

UPDATE place SET n = 100 WHERE id = 1;
-- reads place (id) rows {1}
-- fails: an assumption does not hold

UPDATE place SET pos = 9 WHERE id = 1;
-- reads place (id, n) rows {}
-- reads place (id) rows {1}
-- update place(1) pos = 9
-- locks place(1) update
-- excluded by update pos of place(1), update n of place(1), delete place(1), move place(1)

INSERT INTO place (id, pos, n) VALUES (7, 7, 7);
-- insert place(7) pos = 7, n = 7

INSERT INTO pair (id, k, j, n) VALUES (7, 1, NULL, 7);
-- fails: check pair_k_j_fkey is violated

INSERT INTO pair (id, k, j, n) VALUES (7, 1, 2, 7);
-- insert pair(7) k = 1, j = 2, n = 7
-- locks spot(1,2) key share
-- excluded by delete spot(1,2), move spot(1,2)

INSERT INTO pair (id, k, j, n) VALUES (7, NULL, NULL, 7);
-- insert pair(7) k = null, j = null, n = 7

UPDATE pair SET j = NULL WHERE id = 1;
-- reads pair (id) rows {1}
-- fails: check pair_k_j_fkey is violated

UPDATE pair SET k = NULL, j = NULL WHERE id = 1;
-- reads pair (id) rows {1}
-- update pair(1) k = null, j = null
-- locks pair(1) no key update
-- excluded by update n of pair(1), delete pair(1), move pair(1)
