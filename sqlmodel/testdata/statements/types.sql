-- Types, casts, and functions without arithmetic.

SELECT id FROM kinds WHERE flag;
-- reads kinds (id, flag) rows {1}

SELECT id FROM kinds WHERE NOT flag;
-- reads kinds (id, flag) rows {2}

SELECT id FROM kinds WHERE flag IS UNKNOWN;
-- reads kinds (id, flag) rows {3}

SELECT id FROM kinds WHERE flag = true AND price > 1.5;
-- reads kinds (id, flag, price) rows {1}

SELECT price * 2, price + id FROM kinds WHERE id = 1;
-- reads kinds (id, price) rows {1}

SELECT id FROM kinds WHERE price = 2.50;
-- reads kinds (id, price) rows {1}

SELECT sum(price), min(price), max(at) IS NULL FROM kinds;
-- reads kinds (price, at) rows {1 2 3}

SELECT id FROM kinds WHERE at < '2024-06-01';
-- reads kinds (id, at) rows {1}

SELECT id FROM kinds WHERE at >= timestamp '2024-06-01 00:00:00' ORDER BY at;
-- reads kinds (id, at) rows {2}

SELECT id FROM kinds WHERE day = date '2024-05-05';
-- reads kinds (id, day) rows {1}

SELECT id FROM kinds WHERE token = '11111111-1111-1111-1111-111111111111';
-- reads kinds (id, token) rows {1}

SELECT id FROM kinds WHERE token IS NULL;
-- reads kinds (id, token) rows {2 3}

SELECT id FROM kinds WHERE tags = ARRAY['x', 'y'];
-- reads kinds (id, tags) rows {1}

SELECT id FROM kinds WHERE tags[1] = 'x';
-- reads kinds (id, tags) rows {1}

SELECT id, cardinality(tags) FROM kinds;
-- reads kinds (id, tags) rows {1 2 3}

SELECT id FROM kinds WHERE 'y' = ANY (tags);
-- reads kinds (id, tags) rows {1}

SELECT t FROM kinds, unnest(tags) AS t WHERE id = 1;
-- reads kinds (id, tags) rows {1}

SELECT id FROM kinds WHERE mood = 'happy';
-- reads kinds (id, mood) rows {1}

SELECT id FROM kinds WHERE small = 7;
-- reads kinds (id, small) rows {1 2 3}

SELECT id::text || ':' || flag::text FROM kinds WHERE flag IS NOT NULL;
-- reads kinds (id, flag) rows {1 2}

SELECT id FROM kinds WHERE info IS NULL;
-- reads kinds (id, info) rows {1 2 3}

SELECT COALESCE(price, 0) FROM kinds ORDER BY id;
-- reads kinds (id, price) rows {1 2 3}

SELECT id FROM kinds WHERE name ILIKE 'AN%';
-- reads kinds (id, name) rows {1 2}

SELECT id FROM kinds WHERE name LIKE '%\_%';
-- reads kinds (id, name) rows {2}

SELECT left(name, 2), length(name) FROM kinds WHERE id < 3;
-- reads kinds (id, name) rows {1 2}

SELECT id FROM kinds WHERE (price, id) > (1, 1);
-- reads kinds (id, price) rows {1 2}

INSERT INTO kinds (id, flag, price, at) VALUES (4, true, 1.25, '2024-01-01');
-- insert kinds(4) flag = true, price = 1.25, at = time '1704067200000000', day = null, token = null, tags = null, mood = null, small = 7, info = null, name = 'anon'

INSERT INTO kinds (id, mood) VALUES (4, 'sad');
-- insert kinds(4) flag = null, price = null, at = null, day = null, token = null, tags = null, mood = 'sad', small = 7, info = null, name = 'anon'

INSERT INTO kinds (id, small) VALUES (4, -1);
-- fails: check kinds.small is violated

INSERT INTO kinds (id, tags, token) VALUES (4, '{a,b}', '22222222-2222-2222-2222-222222222222');
-- insert kinds(4) flag = null, price = null, at = null, day = null, token = '22222222-2222-2222-2222-222222222222', tags = array '{"a","b"}', mood = null, small = 7, info = null, name = 'anon'

INSERT INTO kinds (id, info) VALUES (4, NULL) RETURNING id, name;
-- insert kinds(4) flag = null, price = null, at = null, day = null, token = null, tags = null, mood = null, small = 7, info = null, name = 'anon'

UPDATE kinds SET flag = NOT flag WHERE flag IS NOT NULL;
-- reads kinds (flag) rows {1 2}
-- update kinds(1) flag = false
-- update kinds(2) flag = true
-- locks kinds(1) no key update, kinds(2) no key update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1), update flag of kinds(2), update price of kinds(2), update at of kinds(2), update day of kinds(2), update token of kinds(2), update tags of kinds(2), update mood of kinds(2), update small of kinds(2), update name of kinds(2), delete kinds(2), move kinds(2)

UPDATE kinds SET price = price * 1.1 WHERE id = 1;
-- reads kinds (id, price) rows {1}
-- update kinds(1) price = 2.75
-- locks kinds(1) no key update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1)

UPDATE kinds SET name = name || '!' WHERE id = 1;
-- reads kinds (id, name) rows {1}
-- update kinds(1) name = 'Anna!'
-- locks kinds(1) no key update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1)

UPDATE kinds SET tags = ARRAY['z'] WHERE 'y' = ANY (tags);
-- reads kinds (tags) rows {1}
-- update kinds(1) tags = array '{"z"}'
-- locks kinds(1) no key update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1)

UPDATE kinds SET at = '2025-01-01' WHERE day IS NULL;
-- reads kinds (day) rows {2 3}
-- update kinds(2) at = time '1735689600000000'
-- update kinds(3) at = time '1735689600000000'
-- locks kinds(2) no key update, kinds(3) no key update
-- excluded by update flag of kinds(2), update price of kinds(2), update at of kinds(2), update day of kinds(2), update token of kinds(2), update tags of kinds(2), update mood of kinds(2), update small of kinds(2), update name of kinds(2), delete kinds(2), move kinds(2), update flag of kinds(3), update price of kinds(3), update at of kinds(3), update day of kinds(3), update token of kinds(3), update tags of kinds(3), update mood of kinds(3), update small of kinds(3), update name of kinds(3), delete kinds(3), move kinds(3)

UPDATE kinds SET small = 0 WHERE id = 1;
-- reads kinds (id) rows {1}
-- update kinds(1) small = 0
-- locks kinds(1) no key update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1)

UPDATE kinds SET small = -5 WHERE id = 1;
-- reads kinds (id) rows {1}
-- fails: check kinds.small is violated

DELETE FROM kinds WHERE price IS NULL OR flag;
-- reads kinds (flag, price) rows {1 3}
-- delete kinds(1)
-- delete kinds(3)
-- locks kinds(1) update, kinds(3) update
-- excluded by update flag of kinds(1), update price of kinds(1), update at of kinds(1), update day of kinds(1), update token of kinds(1), update tags of kinds(1), update mood of kinds(1), update small of kinds(1), update name of kinds(1), delete kinds(1), move kinds(1), update flag of kinds(3), update price of kinds(3), update at of kinds(3), update day of kinds(3), update token of kinds(3), update tags of kinds(3), update mood of kinds(3), update small of kinds(3), update name of kinds(3), delete kinds(3), move kinds(3)

SELECT name, count(*) FROM kinds GROUP BY name ORDER BY name;
-- reads kinds (name) rows {1 2 3}

SELECT flag, sum(price) FROM kinds GROUP BY flag;
-- reads kinds (flag, price) rows {1 2 3}

SELECT x FROM shop.item WHERE id = 1;
-- reads shop.item (id, x) rows {1}

INSERT INTO shop.item (id, x) VALUES (2, 1);
-- insert shop.item(2) x = 1

UPDATE shop.item SET x = x + 1 WHERE id = 1;
-- reads shop.item (id, x) rows {1}
-- update shop.item(1) x = 6
-- locks shop.item(1) no key update
-- excluded by update x of shop.item(1), delete shop.item(1), move shop.item(1)

SELECT i.x, a.x FROM shop.item i JOIN a ON a.k = i.id;
-- reads shop.item (id, x) rows {1}
-- reads a (k, x) rows {1}

SELECT id, up FROM tree WHERE up IS NULL;
-- reads tree (id, up) rows {1}

INSERT INTO tree (id, up) VALUES (3, 1);
-- insert tree(3) up = 1
-- locks tree(1) key share

INSERT INTO tree (id, up) VALUES (3, 3);
-- insert tree(3) up = 3

INSERT INTO tree (id, up) VALUES (3, 9);
-- insert tree(3) up = 9
-- fails: foreign key tree_up_fkey is violated

DELETE FROM tree WHERE id = 2;
-- reads tree (id) rows {2}
-- delete tree(2)
-- locks tree(2) update
-- excluded by update up of tree(1), update up of tree(2), delete tree(2), move tree(2)

DELETE FROM tree WHERE id = 1;
-- reads tree (id) rows {1}
-- delete tree(1)
-- fails: foreign key tree_up_fkey is violated
-- locks tree(1) update

DELETE FROM tree;
-- reads tree () rows {1 2}
-- delete tree(1)
-- delete tree(2)
-- locks tree(1) update, tree(2) update
-- excluded by update up of tree(1), update up of tree(2), delete tree(2), move tree(2)

UPDATE tree SET up = id WHERE id = 2;
-- reads tree (id) rows {2}
-- update tree(2) up = 2
-- locks tree(2) no key update
-- excluded by update up of tree(2), delete tree(2), move tree(2)

SELECT c.id, p.id FROM tree c LEFT JOIN tree p ON p.id = c.up ORDER BY c.id;
-- reads tree (id, up) rows {1 2}
-- reads tree (id) rows {1 2}
