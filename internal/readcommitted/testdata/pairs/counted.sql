CREATE TABLE hits (page int PRIMARY KEY, n int NOT NULL);
-- FIXED
CREATE FUNCTION hit(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hits VALUES (p, 1) ON CONFLICT (page) DO UPDATE SET n = hits.n + 1;
END $$;
-- BROKEN
CREATE FUNCTION hit(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE old int;
BEGIN
  SELECT n INTO old FROM hits WHERE page = p;
  IF FOUND THEN UPDATE hits SET n = old + 1 WHERE page = p; ELSE INSERT INTO hits VALUES (p, 1); END IF;
END $$;
