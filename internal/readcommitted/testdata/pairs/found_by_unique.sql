CREATE TABLE users (id bigserial PRIMARY KEY, email text NOT NULL UNIQUE, name int);
-- FIXED
CREATE FUNCTION register(e text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM users WHERE email = e) THEN RAISE EXCEPTION 'taken'; END IF;
  INSERT INTO users (email) VALUES (e);
END $$;
CREATE FUNCTION rename(e text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE i bigint; n int;
BEGIN
  SELECT id, name INTO i, n FROM users WHERE email = e FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no user'; END IF;
  UPDATE users SET name = n + 1 WHERE id = i;
END $$;
-- BROKEN
CREATE FUNCTION register(e text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM users WHERE email = e) THEN RAISE EXCEPTION 'taken'; END IF;
  INSERT INTO users (email) VALUES (e);
END $$;
CREATE FUNCTION rename(e text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE i bigint; n int;
BEGIN
  SELECT id, name INTO i, n FROM users WHERE email = e;
  IF NOT FOUND THEN RAISE EXCEPTION 'no user'; END IF;
  UPDATE users SET name = n + 1 WHERE id = i;
END $$;
