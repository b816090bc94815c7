CREATE TABLE docs (id int PRIMARY KEY, body int NOT NULL, version int NOT NULL);
-- FIXED
CREATE FUNCTION edit(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int; old int;
BEGIN
  SELECT version, body INTO v, old FROM docs WHERE id = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'no document'; END IF;
  UPDATE docs SET body = old + 1, version = version + 1 WHERE id = i AND version = v;
  IF NOT FOUND THEN RAISE EXCEPTION 'changed meanwhile'; END IF;
END $$;
-- BROKEN
CREATE FUNCTION edit(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int; old int;
BEGIN
  SELECT version, body INTO v, old FROM docs WHERE id = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'no document'; END IF;
  UPDATE docs SET body = old + 1, version = version + 1 WHERE id = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'changed meanwhile'; END IF;
END $$;
