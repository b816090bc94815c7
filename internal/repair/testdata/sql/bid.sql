-- The highest bid wins.
-- isolation: rc
-- want: condition-in-update bid
CREATE TABLE auction (id int PRIMARY KEY, best int NOT NULL, who text);
INSERT INTO auction VALUES (1, 0, NULL), (2, 3, 'x');
CREATE FUNCTION bid(a int, n int, me text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT best INTO b FROM auction WHERE id = a;
  IF b >= n THEN RETURN 'too low'; END IF;
  UPDATE auction SET best = n, who = me WHERE id = a;
  RETURN 'yours';
END $$;
