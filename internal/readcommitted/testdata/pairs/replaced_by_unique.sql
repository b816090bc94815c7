CREATE TABLE docs (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, title text NOT NULL, v int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, title text NOT NULL);
CREATE FUNCTION replace_doc(n text, y text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM docs WHERE name = n;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  INSERT INTO docs (name, title, v) VALUES (n, y, 1);
END $$;
-- FIXED
CREATE FUNCTION use_doc(k bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x text; w int;
BEGIN
  SELECT title, v INTO x, w FROM docs WHERE id = k;
  IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
  UPDATE docs SET v = v + 1 WHERE id = k AND v = w;
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
