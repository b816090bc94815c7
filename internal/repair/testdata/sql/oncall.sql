-- A doctor leaves if another one stays: write skew at snapshot isolation.
-- isolation: si
-- want: for-share leave
CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctor VALUES (1, true), (2, true), (3, false);
CREATE FUNCTION leave(me int, other int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE o boolean;
BEGIN
  SELECT on_call INTO o FROM doctor WHERE id = other;
  IF NOT o THEN RETURN 'stay'; END IF;
  UPDATE doctor SET on_call = false WHERE id = me;
  RETURN 'gone';
END $$;
