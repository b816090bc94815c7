-- A shop takes goods from its stock if there are enough.
-- isolation: rc
-- want: for-update sell
-- want: condition-in-update sell
CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);
INSERT INTO item VALUES (1, 5), (2, 0), (3, 9);
CREATE FUNCTION sell(i int, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE s int;
BEGIN
  SELECT stock INTO s FROM item WHERE id = i;
  IF s < n THEN RAISE EXCEPTION 'sold out'; END IF;
  UPDATE item SET stock = s - n WHERE id = i;
  RETURN 'sold';
END $$;
