-- A coupon is used up after some uses; the answer says whether it was one.
-- isolation: rc
-- want: condition-in-update redeem
CREATE TABLE coupon (id int PRIMARY KEY, uses int NOT NULL, most int NOT NULL);
INSERT INTO coupon VALUES (1, 0, 2), (2, 3, 3), (3, 1, 9);
CREATE FUNCTION redeem(c int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE u int; m int;
BEGIN
  SELECT uses, most INTO u, m FROM coupon WHERE id = c;
  IF u < m THEN
    UPDATE coupon SET uses = u + 1 WHERE id = c;
    RETURN true;
  END IF;
  RETURN false;
END $$;
