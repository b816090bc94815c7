
-- FIXED
CREATE TABLE users (id bigserial PRIMARY KEY, email text NOT NULL UNIQUE, name int);
CREATE FUNCTION register(e text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM users WHERE email = e) THEN RAISE EXCEPTION 'taken'; END IF;
  INSERT INTO users (email) VALUES (e);
END $$;
-- BROKEN
CREATE TABLE users (id bigserial PRIMARY KEY, email text NOT NULL, name int);
CREATE FUNCTION register(e text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM users WHERE email = e) THEN RAISE EXCEPTION 'taken'; END IF;
  INSERT INTO users (email) VALUES (e);
END $$;
