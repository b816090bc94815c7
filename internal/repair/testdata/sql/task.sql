-- A task is done once all of its parts are, and gets no new part then.
-- isolation: si
-- want: promotion add_part
CREATE TABLE task (id int PRIMARY KEY, done boolean NOT NULL);
CREATE TABLE part (id serial PRIMARY KEY, task int NOT NULL REFERENCES task (id), ready boolean NOT NULL);
INSERT INTO task VALUES (1, false), (2, false);
INSERT INTO part (task, ready) VALUES (1, true);
CREATE FUNCTION add_part(t int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d boolean;
BEGIN
  SELECT done INTO d FROM task WHERE id = t;
  IF d THEN RETURN 'done'; END IF;
  INSERT INTO part (task, ready) VALUES (t, false);
  RETURN 'added';
END $$;
CREATE FUNCTION finish(t int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM part WHERE task = t AND NOT ready) THEN RETURN 'open'; END IF;
  UPDATE task SET done = true WHERE id = t;
  RETURN 'finished';
END $$;
