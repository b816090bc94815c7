-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION take(p_k int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  SELECT n INTO v_n FROM counter WHERE id = 1 FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter is missing';
  END IF;
  INSERT INTO slot (k, seen) VALUES (p_k, v_n);
END
$$;

CREATE FUNCTION release(p_k int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM slot WHERE k = p_k;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'slot % is free', p_k;
  END IF;
  UPDATE counter SET n = n + 1 WHERE id = 1;
  DELETE FROM slot WHERE k = p_k;
END
$$;
