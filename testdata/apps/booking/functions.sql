-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_id
CREATE FUNCTION book(p_id int, p_room int, p_from timestamptz, p_until timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF p_from >= p_until THEN
    RAISE EXCEPTION 'a booking must end after it begins';
  END IF;
  PERFORM 1 FROM booking
  WHERE room = p_room AND NOT cancelled AND tstzrange(starts, ends) && tstzrange(p_from, p_until);
  IF FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO booking (id, room, starts, ends) VALUES (p_id, p_room, p_from, p_until);
  RETURN true;
END
$$;

CREATE FUNCTION cancel(p_id int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE booking SET cancelled = true WHERE id = p_id;
END
$$;

CREATE FUNCTION bookings(p_room int) RETURNS TABLE (o_id int, o_starts timestamptz, o_ends timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT b.id, b.starts, b.ends FROM booking b WHERE b.room = p_room AND NOT b.cancelled;
END
$$;
