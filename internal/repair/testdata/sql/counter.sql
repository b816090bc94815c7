-- A page counts its visits.
-- isolation: rc
-- want: atomic-update visit
CREATE TABLE page (id int PRIMARY KEY, visits int NOT NULL, last int NOT NULL);
INSERT INTO page VALUES (1, 0, 0), (2, 7, 1);
CREATE FUNCTION visit(p int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT visits INTO v FROM page WHERE id = p; -- so far
  UPDATE page SET visits = v + 1, last = d WHERE id = p;
END $$;
