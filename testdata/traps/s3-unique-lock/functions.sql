-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_id
CREATE FUNCTION sign_up(p_id int, p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  SELECT n INTO v_n FROM counter WHERE id = 1 FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter is missing';
  END IF;
  INSERT INTO member (id, name, seen) VALUES (p_id, p_name, v_n);
END
$$;

CREATE FUNCTION rename(p_old text, p_new text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counter SET n = n + 1 WHERE id = 1;
  UPDATE member SET name = p_new WHERE name = p_old;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no member %', p_old;
  END IF;
END
$$;
