CREATE TABLE doctor (name text PRIMARY KEY, shift int NOT NULL, on_call bool NOT NULL);

CREATE PROCEDURE leave(who text, which int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE shift = which AND on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who AND shift = which;
  END IF;
END $$;
