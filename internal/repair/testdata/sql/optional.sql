-- A limit that may be missing: NULL means none.
-- isolation: rc
-- want: condition-in-update spend
CREATE TABLE budget (id int PRIMARY KEY, spent int NOT NULL, most int);
INSERT INTO budget VALUES (1, 0, 4), (2, 0, NULL), (3, 4, 4);
CREATE FUNCTION spend(b int, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE s int; m int;
BEGIN
  SELECT spent, most INTO s, m FROM budget WHERE id = b;
  IF s + n > m THEN RETURN 'no'; END IF;
  UPDATE budget SET spent = s + n WHERE id = b;
  RETURN 'yes';
END $$;
