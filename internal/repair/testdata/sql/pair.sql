-- Two settings, of which only one may be on.
-- isolation: si
-- want: for-share light, for-share heat
-- want: promotion light
CREATE TABLE lamp (id int PRIMARY KEY, lit boolean NOT NULL);
CREATE TABLE heater (id int PRIMARY KEY, hot boolean NOT NULL);
INSERT INTO lamp VALUES (1, false), (2, true);
INSERT INTO heater VALUES (1, false), (2, false);
CREATE FUNCTION light(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE h boolean;
BEGIN
  SELECT hot INTO h FROM heater WHERE id = i;
  IF NOT h THEN UPDATE lamp SET lit = true WHERE id = i; END IF;
END $$;
CREATE FUNCTION heat(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE l boolean;
BEGIN
  SELECT lit INTO l FROM lamp WHERE id = i;
  IF NOT l THEN UPDATE heater SET hot = true WHERE id = i; END IF;
END $$;
