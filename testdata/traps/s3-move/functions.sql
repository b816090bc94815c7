-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION rename_parent(p_old int, p_new int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  SELECT n INTO v_n FROM counter WHERE id = 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter is missing';
  END IF;
  UPDATE parent SET id = p_new WHERE id = p_old;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no parent %', p_old;
  END IF;
  RETURN v_n;
END
$$;

CREATE FUNCTION leave(p_id int, p_parent int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counter SET n = n + 1 WHERE id = 1;
  UPDATE child SET parent_id = NULL WHERE id = p_id AND parent_id = p_parent;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no child % of %', p_id, p_parent;
  END IF;
END
$$;
