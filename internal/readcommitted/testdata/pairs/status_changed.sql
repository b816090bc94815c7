CREATE TABLE jobs (id int PRIMARY KEY, status text NOT NULL, runs int NOT NULL);
-- FIXED
CREATE FUNCTION start(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE s text;
BEGIN
  SELECT status INTO s FROM jobs WHERE id = i;
  IF NOT FOUND OR s <> 'new' THEN RAISE EXCEPTION 'not new'; END IF;
  UPDATE jobs SET status = 'runs' WHERE id = i AND status = 'new';
  IF NOT FOUND THEN RAISE EXCEPTION 'not new'; END IF;
END $$;
-- BROKEN
CREATE FUNCTION start(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE s text; n int;
BEGIN
  SELECT status, runs INTO s, n FROM jobs WHERE id = i;
  IF NOT FOUND OR s <> 'new' THEN RAISE EXCEPTION 'not new'; END IF;
  UPDATE jobs SET status = 'runs', runs = n + 1 WHERE id = i;

END $$;
CREATE FUNCTION finish(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobs SET status = 'new' WHERE id = i AND status = 'runs';
END $$;
