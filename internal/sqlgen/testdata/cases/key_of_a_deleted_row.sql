-- A transaction that inserts the key of a row that was deleted after its snapshot sees
-- both rows; it cannot write or lock the old one.
CREATE TABLE t (id int PRIMARY KEY, s text);
CREATE FUNCTION again() RETURNS SETOF text LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new');
  SELECT s FROM t WHERE id = 3 ORDER BY s
$$;
CREATE FUNCTION upsert() RETURNS SETOF text LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new') ON CONFLICT DO NOTHING;
  SELECT s FROM t WHERE id = 3 ORDER BY s
$$;
CREATE FUNCTION update_both() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new');
  UPDATE t SET s = s || '!' WHERE id = 3
$$;
CREATE FUNCTION update_new() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new');
  UPDATE t SET s = s || '!' WHERE s = 'new'
$$;
CREATE FUNCTION lock_both() RETURNS SETOF text LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new');
  SELECT s FROM t WHERE id = 3 FOR UPDATE
$$;
CREATE FUNCTION lock_new() RETURNS SETOF text LANGUAGE sql AS $$
  INSERT INTO t VALUES (3, 'new');
  SELECT s FROM t WHERE s = 'new' FOR UPDATE
$$;
CREATE FUNCTION another() RETURNS SETOF text LANGUAGE sql AS $$
  INSERT INTO t VALUES (4, 'new');
  SELECT s FROM t WHERE id = 3 ORDER BY s
$$;
CREATE FUNCTION remove() RETURNS void LANGUAGE sql AS $$ DELETE FROM t $$;
-- rows
INSERT INTO t VALUES (3, 'old');
-- calls
SELECT * FROM again(); -- aborts
SELECT * FROM upsert();
-- mixes
again(); remove(); -- 0 0 1 1 1 1 0 0
upsert(); remove(); -- 0 0 1 1 1 1 0 0
update_both(); remove(); -- 0 0 1 1 1 1 0 0
update_new(); remove(); -- 0 0 1 1 1 1 0 0
lock_both(); remove(); -- 0 0 1 1 1 1 0 0
lock_new(); remove(); -- 0 0 1 1 1 1 0 0
another(); remove(); -- 0 0 1 1 1 1 0 0
again(); remove(); -- 1 1 1 1 0 0 0 0
