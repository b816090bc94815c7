CREATE TABLE tags (id bigserial PRIMARY KEY, name int NOT NULL UNIQUE, uses int NOT NULL);
CREATE FUNCTION rate(t int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tags SET uses = uses + 1 WHERE name = t;
END $$;
-- FIXED
CREATE FUNCTION use_tag(t int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE i bigint;
BEGIN
  INSERT INTO tags (name, uses) VALUES (t, 0) ON CONFLICT (name) DO NOTHING RETURNING id INTO i;
  IF i IS NULL THEN SELECT id INTO i FROM tags WHERE name = t; END IF;
  UPDATE tags SET uses = uses + 1 WHERE name = t;
  RETURN i;
END $$;
-- BROKEN
CREATE FUNCTION use_tag(t int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO tags (name, uses) VALUES (t, 0) ON CONFLICT (name) DO NOTHING;
  SELECT uses INTO n FROM tags WHERE name = t;
  UPDATE tags SET uses = n + 1 WHERE name = t;
END $$;
