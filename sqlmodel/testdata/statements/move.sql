-- Changes of keys, and what foreign keys do then.

UPDATE a SET k = 9 WHERE k = 4;
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- insert a(9) x = 10, y = 9, s = 'four'
-- locks a(4) update
-- excluded by update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET k = 2 WHERE k = 4;
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- fails: a row with this key exists in a
-- locks a(4) update

UPDATE a SET k = 9 WHERE k = 1;
-- reads a (k, x, y, s) rows {1}
-- reads a (k) rows {1}
-- delete a(1)
-- insert a(9) x = 10, y = 1, s = 'one'
-- fails: foreign key b_k_fkey is violated
-- locks a(1) update

UPDATE a SET k = k WHERE k = 1;
-- reads a (k, x) rows {1}
-- update a(1) x = 10
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET k = 1, x = 5 WHERE k = 1;
-- reads a (k) rows {1}
-- update a(1) x = 5
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET k = k + 0, x = 5 WHERE k = 1;
-- reads a (k, y, s) rows {1}
-- reads a (k) rows {1}
-- update a(1) x = 5
-- locks a(1) no key update
-- excluded by update x of a(1), update y of a(1), update s of a(1)

UPDATE a SET k = k + 10, x = x + 1, s = 'new' WHERE k = 3 AND y = 7;
-- reads a (k, x, y) rows {3}
-- reads a (k) rows {3}
-- delete a(3)
-- insert a(13) x = null, y = 7, s = 'new'
-- locks a(3) update
-- excluded by update x of a(3), update y of a(3), update s of a(3), delete a(3), move a(3)

UPDATE a SET k = 9 WHERE s = 'four';
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- insert a(9) x = 10, y = 9, s = 'four'
-- locks a(4) update
-- excluded by update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE a SET k = NULL WHERE k = 4;
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- fails: null in column a.k
-- locks a(4) update

UPDATE a SET k = k + 1;
-- not modelled, touches a, b: a change of the key column k of several rows

UPDATE a SET k = 9 WHERE k = 77;
-- reads a (k, x, y, s) rows {}

UPDATE a SET k = 9 WHERE k = 4 RETURNING k, x;
-- reads a (k, x) rows {4}
-- reads a (k, x, y, s) rows {4}
-- reads a (k) rows {4}
-- delete a(4)
-- insert a(9) x = 10, y = 9, s = 'four'
-- locks a(4) update
-- excluded by update x of a(4), update y of a(4), update s of a(4), delete a(4), move a(4)

UPDATE b SET j = 5 WHERE k = 1 AND j = 2;
-- reads b (k, j, v) rows {1,2}
-- reads b (k, j) rows {1,2}
-- delete b(1,2)
-- insert b(1,5) v = 6
-- locks b(1,2) update
-- excluded by update v of b(1,2), delete b(1,2), move b(1,2)

UPDATE b SET k = 2 WHERE k = 1 AND j = 2;
-- reads b (k, j, v) rows {1,2}
-- reads b (k, j) rows {1,2}
-- delete b(1,2)
-- insert b(2,2) v = 6
-- locks a(2) key share, b(1,2) update
-- excluded by update s of a(2), update v of b(1,2), delete b(1,2), move b(1,2)

UPDATE b SET k = 7, j = 7 WHERE k = 2 AND j = 1;
-- reads b (k, j, v) rows {2,1}
-- reads b (k, j) rows {2,1}
-- delete b(2,1)
-- insert b(7,7) v = null
-- fails: foreign key b_k_fkey is violated
-- locks b(2,1) update

UPDATE b SET j = 1 WHERE k = 1 AND j = 2;
-- reads b (k, j, v) rows {1,2}
-- reads b (k, j) rows {1,2}
-- delete b(1,2)
-- fails: a row with this key exists in b
-- locks b(1,2) update

UPDATE b SET k = (SELECT max(k) FROM a) WHERE k = 2 AND j = 1;
-- reads a (k) rows {4}
-- reads b (k, j, v) rows {2,1}
-- reads b (k, j) rows {2,1}
-- delete b(2,1)
-- insert b(4,1) v = null
-- locks a(4) key share, b(2,1) update
-- excluded by update s of a(4), delete a(4), move a(4), update v of b(2,1), delete b(2,1), move b(2,1)

UPDATE g SET id = 5, p = 4 WHERE id = 1;
-- reads g (id) rows {1}
-- delete g(1)
-- insert g(5) p = 4, twice = 8
-- locks g(1) update
-- excluded by update p of g(1), delete g(1), move g(1)

UPDATE g SET id = 5, p = -4 WHERE id = 1;
-- reads g (id) rows {1}
-- delete g(1)
-- fails: check g_check1 is violated
-- locks g(1) update

UPDATE u SET id = 5 WHERE id = 1;
-- reads u (id, email, n, u_email 1) rows {1}
-- reads u (id) rows {1}
-- delete u(1)
-- insert u(5) email = 'A@x', n = 1, u_email 1 = 'a@x'
-- locks u(1) update
-- excluded by update email of u(1), update n of u(1), delete u(1), move u(1)

UPDATE u SET id = 5, email = 'B@X' WHERE id = 1;
-- reads u (id, n) rows {1}
-- reads u (id) rows {1}
-- delete u(1)
-- fails: a row with this key exists in u
-- locks u(1) update

UPDATE q SET id = 7 WHERE id = 1;
-- reads q (id, state, owner) rows {1}
-- reads q (id) rows {1}
-- delete q(1)
-- insert q(7) state = 'open', owner = 1
-- locks q(1) update
-- excluded by update state of q(1), update owner of q(1), delete q(1), move q(1)

UPDATE child SET id = 5 WHERE id = 1;
-- reads child (id, parent_id, n) rows {1}
-- reads child (id) rows {1}
-- delete child(1)
-- insert child(5) parent_id = 1, n = 1
-- locks child(1) update
-- excluded by delete parent(1), update parent_id of child(1), update n of child(1), delete child(1), move child(1)

UPDATE child SET id = 5, parent_id = 2 WHERE id = 1;
-- reads child (id, n) rows {1}
-- reads child (id) rows {1}
-- delete child(1)
-- insert child(5) parent_id = 2, n = 1
-- locks child(1) update, parent(2) key share
-- excluded by delete parent(1), delete parent(2), move parent(2), update parent_id of child(1), update n of child(1), delete child(1), move child(1)

UPDATE parent SET id = 5 WHERE id = 1;
-- reads parent (id, name) rows {1}
-- reads parent (id) rows {1}
-- delete parent(1)
-- insert parent(5) name = 'p'
-- fails: foreign key child_parent_id_fkey is violated
-- locks parent(1) update

UPDATE parent SET id = 5 WHERE id = 2;
-- reads parent (id, name) rows {2}
-- reads parent (id) rows {2}
-- delete parent(2)
-- insert parent(5) name = 'q'
-- locks parent(2) update
-- excluded by update name of parent(2), delete parent(2), move parent(2), update parent_id of child(1), update parent_id of child(2), update parent_id of loose(1)

UPDATE tree SET id = 5 WHERE id = 1;
-- reads tree (id, up) rows {1}
-- reads tree (id) rows {1}
-- delete tree(1)
-- insert tree(5) up = null
-- fails: foreign key tree_up_fkey is violated
-- locks tree(1) update

UPDATE tree SET id = 5 WHERE id = 2;
-- reads tree (id, up) rows {2}
-- reads tree (id) rows {2}
-- delete tree(2)
-- insert tree(5) up = 1
-- locks tree(2) update
-- excluded by update up of tree(1), update up of tree(2), delete tree(2), move tree(2)

UPDATE tree SET id = 5, up = 5 WHERE id = 2;
-- reads tree (id) rows {2}
-- delete tree(2)
-- insert tree(5) up = 5
-- locks tree(2) update
-- excluded by update up of tree(1), update up of tree(2), delete tree(2), move tree(2)

UPDATE late SET id = 5 WHERE id = 1;
-- reads late (id, up, n) rows {1}
-- reads late (id) rows {1}
-- delete late(1)
-- insert late(5) up = null, n = 1
-- fails: foreign key late_up_fkey is violated
-- locks late(1) update

UPDATE late SET id = 5 WHERE id = 2;
-- reads late (id, up, n) rows {2}
-- reads late (id) rows {2}
-- delete late(2)
-- insert late(5) up = 1, n = 2
-- locks late(2) update
-- excluded by update up of late(1), update up of late(2), update n of late(2), delete late(2), move late(2)

UPDATE boss SET id = 9 WHERE id = 1;
-- reads boss (id, code, n) rows {1}
-- reads boss (id) rows {1}
-- reads follow (boss_id) rows {1}
-- reads drift (boss_id) rows {2}
-- delete boss(1)
-- insert boss(9) code = 'x', n = 1
-- update follow(1) boss_id = 9
-- update drift(2) boss_id = null
-- locks boss(1) update, drift(2) no key update, follow(1) no key update
-- excluded by update n of boss(1), move boss(1), update n of follow(1), move follow(1), update n of drift(2), move drift(2)

UPDATE boss SET id = 9 WHERE id = 2;
-- reads boss (id, code, n) rows {2}
-- reads boss (id) rows {2}
-- reads follow (boss_id) rows {}
-- reads drift (boss_id) rows {3}
-- delete boss(2)
-- insert boss(9) code = 'y', n = 2
-- update drift(3) boss_id = null
-- locks boss(2) update, drift(3) no key update
-- excluded by update code of boss(2), update n of boss(2), move boss(2), delete boss(3), update n of drift(3), move drift(3)

UPDATE boss SET id = 9, code = 'z' WHERE id = 1;
-- reads boss (id, n) rows {1}
-- reads boss (id) rows {1}
-- reads follow (boss_id) rows {1}
-- reads drift (boss_id) rows {2}
-- delete boss(1)
-- insert boss(9) code = 'z', n = 1
-- update follow(1) boss_id = 9
-- update drift(2) boss_id = null
-- fails: foreign key badge_code_fkey is violated
-- locks boss(1) update, drift(2) no key update, follow(1) no key update

UPDATE boss SET id = 9, code = 'z' WHERE id = 3;
-- reads boss (id, n) rows {3}
-- reads boss (id) rows {3}
-- reads follow (boss_id) rows {}
-- reads drift (boss_id) rows {1}
-- delete boss(3)
-- insert boss(9) code = 'z', n = 3
-- update drift(1) boss_id = null
-- locks boss(3) update, drift(1) no key update
-- excluded by update code of boss(3), update n of boss(3), delete boss(3), move boss(3), update boss_id of follow(1), update boss_id of follow(2), update boss_id of drift(1), update n of drift(1), move drift(1), update boss_id of drift(2), update boss_id of drift(3)

UPDATE boss SET id = id, n = 5 WHERE id = 1;
-- reads boss (id) rows {1}
-- update boss(1) n = 5
-- locks boss(1) no key update
-- excluded by update n of boss(1), move boss(1)

UPDATE boss SET id = 1, n = 5 WHERE id = 1;
-- reads boss (id) rows {1}
-- update boss(1) n = 5
-- locks boss(1) no key update
-- excluded by update n of boss(1), move boss(1)

UPDATE boss SET id = 9;
-- not modelled, touches boss, follow, drift, badge: a change of the key column id of several rows

UPDATE boss SET code = 'z' WHERE id = 1;
-- reads boss (id) rows {1}
-- update boss(1) code = 'z'
-- fails: foreign key badge_code_fkey is violated
-- locks boss(1) update

UPDATE boss SET code = 'z' WHERE id = 2;
-- reads boss (id) rows {2}
-- update boss(2) code = 'z'
-- locks boss(2) update
-- excluded by update code of boss(2), update n of boss(2), move boss(2)

DELETE FROM boss WHERE id = 3;
-- reads boss (id) rows {3}
-- reads drift (boss_id) rows {1}
-- delete boss(3)
-- update drift(1) boss_id = 2
-- locks boss(2) key share, boss(3) update, drift(1) no key update
-- excluded by update code of boss(2), move boss(2), update code of boss(3), update n of boss(3), delete boss(3), move boss(3), update boss_id of follow(1), update boss_id of follow(2), update boss_id of drift(1), update n of drift(1), move drift(1), update boss_id of drift(2), update boss_id of drift(3)

DELETE FROM boss WHERE id = 2;
-- reads boss (id) rows {2}
-- reads drift (boss_id) rows {3}
-- delete boss(2)
-- update drift(3) boss_id = 2
-- fails: foreign key drift_boss_id_fkey is violated
-- locks boss(2) update, drift(3) no key update

UPDATE log SET n = 4 WHERE n = 0;
-- reads log (n) rows {0}
-- update log
-- locks log(0) no key update

UPDATE follow SET boss_id = 1 WHERE id = 1;
-- reads follow (id) rows {1}
-- update follow(1) boss_id = 1
-- locks follow(1) no key update
-- excluded by move boss(1), update boss_id of follow(1), update n of follow(1), delete follow(1), move follow(1)

UPDATE follow SET boss_id = boss_id, n = 4 WHERE id = 1;
-- reads follow (id, boss_id) rows {1}
-- update follow(1) boss_id = 1, n = 4
-- locks follow(1) no key update
-- excluded by move boss(1), update boss_id of follow(1), update n of follow(1), delete follow(1), move follow(1)
