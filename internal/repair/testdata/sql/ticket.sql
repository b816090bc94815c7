-- Tickets are reserved, or a refusal is written down.
-- isolation: rc
-- want: for-update reserve
CREATE TABLE show (id int PRIMARY KEY, free int NOT NULL);
CREATE TABLE refused (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO show VALUES (1, 3), (2, 0);
INSERT INTO refused VALUES (1, 0), (2, 0), (3, 0);
CREATE FUNCTION reserve(s int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE f int;
BEGIN
  SELECT free INTO f FROM show WHERE id = s;
  IF f >= n THEN UPDATE show AS o SET free = f - n WHERE o.id = s; ELSE
    UPDATE refused SET n = refused.n + 1 WHERE id = s;
  END IF;
END $$;
