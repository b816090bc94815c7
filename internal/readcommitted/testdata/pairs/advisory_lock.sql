CREATE TABLE bookings (id bigserial PRIMARY KEY, room int NOT NULL, day int NOT NULL);
CREATE FUNCTION book(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  PERFORM pg_advisory_xact_lock(r);
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
-- FIXED
CREATE FUNCTION move_in(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  PERFORM pg_advisory_xact_lock(r);
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
-- BROKEN
CREATE FUNCTION move_in(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
