-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_id
CREATE FUNCTION book(p_id int, p_starts int, p_ends int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  SELECT n INTO v_n FROM counter WHERE id = 1 FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter is missing';
  END IF;
  INSERT INTO booking (id, starts, ends, seen) VALUES (p_id, p_starts, p_ends, v_n);
END
$$;

CREATE FUNCTION cancel(p_id int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counter SET n = n + 1 WHERE id = 1;
  DELETE FROM booking WHERE id = p_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no booking %', p_id;
  END IF;
END
$$;
