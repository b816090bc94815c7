CREATE TABLE docs (id int PRIMARY KEY, name text NOT NULL UNIQUE, title text NOT NULL, v int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, title text NOT NULL);
CREATE FUNCTION rename(a int, b int, n text, m text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE docs SET name = m WHERE id = a AND name = n;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  UPDATE docs SET name = n WHERE id = b;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
END $$;
-- FIXED
CREATE FUNCTION use_doc(n text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x text; w int; k int;
BEGIN
  SELECT id, title, v INTO k, x, w FROM docs WHERE name = n;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  UPDATE docs SET v = v + 1 WHERE id = k AND name = n AND v = w;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  INSERT INTO log (title) VALUES (x);
END $$;
-- BROKEN
CREATE FUNCTION use_doc(n text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x text; w int;
BEGIN
  SELECT title, v INTO x, w FROM docs WHERE name = n;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  UPDATE docs SET v = v + 1 WHERE name = n AND v = w;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  INSERT INTO log (title) VALUES (x);
END $$;
