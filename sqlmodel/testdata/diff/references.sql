-- Foreign keys with actions, and such that are checked at commit.

CREATE TABLE act_p (id int PRIMARY KEY, v int);
CREATE TABLE act_c (id int PRIMARY KEY, p int REFERENCES act_p ON DELETE CASCADE, v int);
CREATE TABLE act_n (id int PRIMARY KEY, p int REFERENCES act_p ON DELETE SET NULL);
CREATE TABLE act_g (id int PRIMARY KEY, c int REFERENCES act_c ON DELETE CASCADE);
CREATE TABLE act_k (id int PRIMARY KEY, g int REFERENCES act_g);
CREATE TABLE late_p (id int PRIMARY KEY, v int);
CREATE TABLE late_c (id int PRIMARY KEY, p int REFERENCES late_p DEFERRABLE INITIALLY DEFERRED, v int);

CREATE FUNCTION act_drop(n int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM act_p WHERE id = n;
  RETURN FOUND;
END $$;

CREATE FUNCTION act_drop_some(n int) RETURNS SETOF int LANGUAGE sql AS
  'DELETE FROM act_p WHERE v < n OR id IN (SELECT p FROM act_c WHERE v = n) RETURNING id';

CREATE FUNCTION act_count_drop(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE k bigint;
BEGIN
  SELECT count(*) INTO k FROM act_c JOIN act_g ON act_g.c = act_c.id WHERE act_c.p = n;
  DELETE FROM act_k WHERE g IN (SELECT id FROM act_g WHERE c = n);
  DELETE FROM act_p WHERE id = n;
  RETURN k;
END $$;

CREATE FUNCTION act_drop_child(n int) RETURNS void LANGUAGE sql AS 'DELETE FROM act_c WHERE id = n OR p IS NULL';

CREATE FUNCTION late_add(a int, b int) RETURNS void LANGUAGE sql AS 'INSERT INTO late_c VALUES (a, b, b)';

CREATE FUNCTION late_pair(a int, b int) RETURNS void LANGUAGE sql AS
  'INSERT INTO late_p VALUES (a, b) ON CONFLICT (id) DO NOTHING; INSERT INTO late_c VALUES (b, a, 0)';

CREATE FUNCTION late_drop(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE k bigint;
BEGIN
  DELETE FROM late_c WHERE v = n;
  DELETE FROM late_p WHERE id = n;
  SELECT count(*) INTO k FROM late_c;
  RETURN k;
END $$;
