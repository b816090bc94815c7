CREATE TABLE inbox (id bigserial PRIMARY KEY, body text NOT NULL);
CREATE TABLE archive (id bigserial PRIMARY KEY, body text NOT NULL);
CREATE FUNCTION post(b text) RETURNS void LANGUAGE sql AS $$ INSERT INTO inbox (body) VALUES (b) $$;
-- FIXED
CREATE FUNCTION move(m bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE b text;
BEGIN
  DELETE FROM inbox WHERE id = m RETURNING body INTO b;
  IF FOUND THEN
    INSERT INTO archive (body) VALUES (b);
  END IF;
END $$;
-- BROKEN
CREATE FUNCTION move(m bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE b text;
BEGIN
  SELECT body INTO b FROM inbox WHERE id = m;
  IF FOUND THEN
    INSERT INTO archive (body) VALUES (b);
    DELETE FROM inbox WHERE id = m;
  END IF;
END $$;
