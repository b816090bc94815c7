CREATE TABLE rooms (id int PRIMARY KEY);
CREATE TABLE bookings (id bigserial PRIMARY KEY, room int NOT NULL REFERENCES rooms, d1 int NOT NULL, d2 int NOT NULL);
CREATE FUNCTION cancel(k bigint) RETURNS void LANGUAGE sql AS $$ DELETE FROM bookings WHERE id = k $$;
-- FIXED
CREATE FUNCTION book(r int, a int, b int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE k bigint;
BEGIN
  PERFORM 1 FROM rooms WHERE id = r FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no room'; END IF;
  PERFORM 1 FROM bookings WHERE room = r AND d1 < b AND a < d2;
  IF FOUND THEN RAISE EXCEPTION 'overlap'; END IF;
  INSERT INTO bookings (room, d1, d2) VALUES (r, a, b) RETURNING id INTO k;
  RETURN k;
END $$;
-- BROKEN
CREATE FUNCTION book(r int, a int, b int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE k bigint;
BEGIN
  PERFORM 1 FROM rooms WHERE id = r FOR SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no room'; END IF;
  PERFORM 1 FROM bookings WHERE room = r AND d1 < b AND a < d2;
  IF FOUND THEN RAISE EXCEPTION 'overlap'; END IF;
  INSERT INTO bookings (room, d1, d2) VALUES (r, a, b) RETURNING id INTO k;
  RETURN k;
END $$;
