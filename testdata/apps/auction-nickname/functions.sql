-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_u_id
CREATE FUNCTION reg_user(p_u_id int, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM users WHERE name = p_name;
  IF FOUND THEN
    RAISE EXCEPTION 'the name % is taken', p_name;
  END IF;
  INSERT INTO users (u_id, name) VALUES (p_u_id, p_name);
END
$$;

-- fresh: p_b_id
CREATE FUNCTION reg_bid(p_b_id int, p_i_id int, p_val int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_nbids int;
BEGIN
  SELECT nbids INTO v_nbids FROM items WHERE i_id = p_i_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no item %', p_i_id;
  END IF;
  INSERT INTO bids (b_id, i_id, val) VALUES (p_b_id, p_i_id, p_val);
  UPDATE items SET nbids = v_nbids + 1 WHERE i_id = p_i_id;
END
$$;

CREATE FUNCTION view_item(p_i_id int) RETURNS TABLE (descr text, nbids int) LANGUAGE sql AS $$
  SELECT items.descr, items.nbids FROM items WHERE items.i_id = p_i_id;
$$;

CREATE FUNCTION view_user(p_u_id int) RETURNS text LANGUAGE sql AS $$
  SELECT users.name FROM users WHERE users.u_id = p_u_id;
$$;

CREATE FUNCTION view_users() RETURNS TABLE (u_id int, name text) LANGUAGE sql AS $$
  SELECT users.u_id, users.name FROM users;
$$;
