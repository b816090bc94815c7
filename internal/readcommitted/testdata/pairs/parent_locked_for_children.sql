CREATE TABLE rooms (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE bookings (id bigserial PRIMARY KEY, room int NOT NULL REFERENCES rooms, day int NOT NULL);
CREATE FUNCTION build(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rooms VALUES (i, 'new');
END $$;
CREATE FUNCTION reserve(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
-- FIXED
CREATE FUNCTION book(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  PERFORM 1 FROM rooms WHERE id = r FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no room'; END IF;
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
-- BROKEN
CREATE FUNCTION book(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  PERFORM 1 FROM rooms WHERE id = r FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no room'; END IF;
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
CREATE FUNCTION move_in(r int, d int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM bookings WHERE room = r AND day = d;
  IF n > 0 THEN RAISE EXCEPTION 'booked'; END IF;
  INSERT INTO bookings (room, day) VALUES (r, d);
END $$;
