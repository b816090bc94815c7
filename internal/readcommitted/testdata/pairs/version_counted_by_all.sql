CREATE TABLE docs (id int PRIMARY KEY, body int NOT NULL, version int NOT NULL);
CREATE FUNCTION edit(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int; old int;
BEGIN
  SELECT version, body INTO v, old FROM docs WHERE id = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'no document'; END IF;
  UPDATE docs SET body = old + 1, version = version + 1 WHERE id = i AND version = v;
  IF NOT FOUND THEN RAISE EXCEPTION 'changed meanwhile'; END IF;
END $$;
-- FIXED
CREATE FUNCTION clear(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE docs SET body = 0, version = version + 1 WHERE id = i;
END $$;
-- BROKEN
CREATE FUNCTION clear(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE docs SET body = 0 WHERE id = i;
END $$;
