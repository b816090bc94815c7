-- MERGE.
CREATE FUNCTION merge_upsert(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  MERGE INTO a USING (SELECT p AS id, q AS v) s ON a.k = s.id
    WHEN MATCHED THEN UPDATE SET x = s.v, y = y + 1
    WHEN NOT MATCHED THEN INSERT (k, x, s) VALUES (s.id, s.v, 'new');
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE FUNCTION merge_values(p int, q int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  MERGE INTO a t USING (VALUES (p, q)) AS s (k, v) ON t.k = s.k AND t.y > 1
    WHEN MATCHED AND s.v > 3 THEN DELETE
    WHEN MATCHED AND t.x = s.v THEN DO NOTHING
    WHEN MATCHED THEN UPDATE SET x = s.v + t.y
    WHEN NOT MATCHED AND v > 1 THEN INSERT VALUES (k, v, DEFAULT, 'v')
    WHEN NOT MATCHED AND v = 1 THEN INSERT (k) VALUES (9);
  RETURN FOUND;
END $$;

CREATE FUNCTION merge_many(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  MERGE INTO a USING (SELECT p AS least) s ON a.y >= s.least
    WHEN MATCHED AND a.k = q THEN DELETE
    WHEN MATCHED AND x IS NOT NULL THEN UPDATE SET x = a.x + 10
    WHEN NOT MATCHED THEN INSERT (k) VALUES (least + 20);
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE FUNCTION merge_table(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  MERGE INTO a USING b ON a.k = b.j AND b.v >= p
    WHEN MATCHED THEN UPDATE SET x = b.v
    WHEN NOT MATCHED AND b.v < 2 THEN INSERT (k, y) VALUES (b.j + 30, b.v)
    WHEN NOT MATCHED AND b.v = 2 THEN INSERT (k, s) VALUES (b.k * 10 + b.j + 40, 'two');
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE FUNCTION merge_keyed(p int) RETURNS void LANGUAGE sql AS $$
  MERGE INTO d USING (SELECT k, x + 1 AS n FROM a WHERE y <> p) s ON s.k = d.id
    WHEN MATCHED AND s.n > 2 THEN UPDATE SET u = s.n, flag = false
    WHEN MATCHED THEN DELETE;
$$;

CREATE FUNCTION merge_insert(p int) RETURNS void LANGUAGE sql AS $$
  MERGE INTO b USING a ON b.k = a.k AND b.j = p
    WHEN NOT MATCHED THEN INSERT (k, j, v) VALUES (a.k, p, a.x);
$$;

CREATE FUNCTION merge_fresh(p int, s text) RETURNS void LANGUAGE sql AS $$
  MERGE INTO c USING (SELECT s AS name, p AS key) n ON c.t = n.name
    WHEN MATCHED THEN UPDATE SET n = c.n + 1, a_k = key
    WHEN NOT MATCHED THEN INSERT (t, a_k) VALUES (name, key);
$$;

CREATE FUNCTION merge_nothing(p int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  MERGE INTO a USING (SELECT p AS k) s ON a.k = s.k AND 6 / a.y > 1
    WHEN MATCHED THEN DO NOTHING
    WHEN NOT MATCHED THEN INSERT (k, s) VALUES (p, (SELECT max(s) FROM a));
  RETURN FOUND;
END $$;

CREATE FUNCTION merge_generated(p int, q int) RETURNS void LANGUAGE sql AS $$
  MERGE INTO d USING (SELECT p AS id, q AS u) s ON s.id = d.id
    WHEN MATCHED THEN UPDATE SET u = s.u
    WHEN NOT MATCHED THEN INSERT (id, u, flag) VALUES (s.id, s.u, true);
$$;
