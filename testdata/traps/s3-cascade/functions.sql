-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION drop_parent(p_id int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  SELECT n INTO v_n FROM counter WHERE id = 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter is missing';
  END IF;
  DELETE FROM parent WHERE id = p_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no parent %', p_id;
  END IF;
  RETURN v_n;
END
$$;

CREATE FUNCTION drop_child(p_id int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counter SET n = n + 1 WHERE id = 1;
  DELETE FROM child WHERE id = p_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no child %', p_id;
  END IF;
END
$$;
