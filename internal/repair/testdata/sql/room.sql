-- A room has at most two bookings.
-- isolation: si
-- want: guard-row book
CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL);
INSERT INTO booking (room) VALUES (1), (1), (2);
CREATE FUNCTION book(r int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM booking WHERE room = r;
  IF n >= 2 THEN RETURN false; END IF;
  INSERT INTO booking (room) VALUES (r);
  RETURN true;
END $$;
