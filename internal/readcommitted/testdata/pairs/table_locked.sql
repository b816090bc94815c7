CREATE TABLE bookings (id bigserial PRIMARY KEY, room int NOT NULL, day int NOT NULL);
CREATE FUNCTION clear(d int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE bookings IN EXCLUSIVE MODE;
  DELETE FROM bookings WHERE day = d;
END $$;
-- FIXED
CREATE FUNCTION book(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  LOCK TABLE bookings IN SHARE ROW EXCLUSIVE MODE;
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
-- BROKEN
CREATE FUNCTION book(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
