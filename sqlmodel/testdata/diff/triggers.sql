-- Triggers.
CREATE TABLE acct (id int PRIMARY KEY, v int, changed int NOT NULL DEFAULT 0, label text);
CREATE TABLE audit (op text, id int, old_v int, new_v int);
CREATE TABLE tally (id int PRIMARY KEY, n int NOT NULL, total int);
CREATE TABLE plain (id int, v int);

CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed := COALESCE(NEW.changed, 0) + 1;
  IF TG_OP = 'INSERT' AND NEW.v IS NULL THEN NEW.v = 9; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_stamp BEFORE INSERT OR UPDATE ON acct FOR EACH ROW EXECUTE FUNCTION stamp();

CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.v = 2 THEN RETURN NULL; END IF;
    RETURN OLD;
  END IF;
  IF NEW.v < 0 THEN RAISE EXCEPTION 'negative'; END IF;
  IF NEW.v = 4 THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER b_guard BEFORE INSERT OR UPDATE OR DELETE ON acct FOR EACH ROW EXECUTE FUNCTION guard();

CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit (op, id, old_v, new_v) VALUES (TG_OP, COALESCE(NEW.id, OLD.id), OLD.v, NEW.v);
  RETURN NULL;
END $$;
CREATE TRIGGER log_all AFTER INSERT OR DELETE ON acct FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER log_v AFTER UPDATE OF v ON acct FOR EACH ROW WHEN (OLD.v IS DISTINCT FROM NEW.v) EXECUTE FUNCTION log_change();

CREATE FUNCTION keep_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE tally SET n = n - 1, total = total - OLD.v WHERE id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE tally SET n = n + 1, total = COALESCE(total, 0) + NEW.v WHERE id = NEW.id;
    IF NOT FOUND THEN INSERT INTO tally VALUES (NEW.id, 1, NEW.v); END IF;
    RETURN NEW;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER tally AFTER INSERT OR UPDATE OR DELETE ON plain FOR EACH ROW EXECUTE FUNCTION keep_tally();

CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log VALUES (TG_TABLE_NAME || ' ' || lower(TG_OP) || ' ' || TG_ARGV[0], TG_NARGS);
  RETURN NULL;
END $$;
CREATE TRIGGER each_statement AFTER INSERT OR UPDATE OR DELETE ON plain FOR EACH STATEMENT EXECUTE FUNCTION note_statement('after', 'x');
CREATE TRIGGER each_before BEFORE DELETE ON plain FOR EACH STATEMENT EXECUTE FUNCTION note_statement('before');

CREATE FUNCTION acct_insert(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int; c int;
BEGIN
  INSERT INTO acct (id, v) VALUES (p, q) RETURNING v * 10 + changed INTO c;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN COALESCE(c, -1) * 10 + n;
END $$;

CREATE FUNCTION acct_insert_many(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO acct (id, v) VALUES (10, p), (11, 4), (12, NULL)
$$;

CREATE FUNCTION acct_insert_select(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO acct (id, v) SELECT k + 20, x FROM a WHERE y > p AND x <> 4
$$;

CREATE FUNCTION acct_conflict(p int, q int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO acct (id, v) VALUES (p, q) ON CONFLICT (id) DO NOTHING
$$;

CREATE FUNCTION acct_update(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record; n int;
BEGIN
  UPDATE acct SET v = v + q WHERE id = p RETURNING * INTO r;
  IF NOT FOUND THEN RETURN -1; END IF;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN COALESCE(r.v, 50) * 10 + r.changed + n;
END $$;

CREATE FUNCTION acct_update_all(p int) RETURNS void LANGUAGE sql AS $$ UPDATE acct SET v = p, label = 'all' WHERE v <> 3 $$;

CREATE FUNCTION acct_update_label(p int) RETURNS SETOF text LANGUAGE sql AS $$ UPDATE acct SET label = 'one' WHERE id = p RETURNING label $$;

CREATE FUNCTION acct_delete(p int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM acct WHERE id = p;
  RETURN FOUND;
END $$;

CREATE FUNCTION acct_delete_all() RETURNS void LANGUAGE sql AS $$ DELETE FROM acct $$;

CREATE FUNCTION plain_insert(p int, q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO plain VALUES (p, q) $$;

CREATE FUNCTION plain_insert_two(p int, q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO plain VALUES (p, q), (p, 1) $$;

CREATE FUNCTION plain_update(p int) RETURNS void LANGUAGE sql AS $$ UPDATE plain SET v = v + 1 WHERE id = p $$;

CREATE FUNCTION plain_delete(p int) RETURNS void LANGUAGE sql AS $$ DELETE FROM plain WHERE v <= p $$;
