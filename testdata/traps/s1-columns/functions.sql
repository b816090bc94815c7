-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION run_p() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_o int;
BEGIN
  SELECT v INTO v_o FROM o WHERE id = 1;
  UPDATE p SET v = v_o + 10 WHERE id = 1;
END
$$;

CREATE FUNCTION run_o(p_v int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE o SET v = p_v WHERE id = 1;
END
$$;

CREATE FUNCTION run_i() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_p int;
BEGIN
  SELECT v INTO v_p FROM p WHERE id = 1;
  UPDATE i SET v = v_p + 1 WHERE id = 1;
  UPDATE o SET q = 1 WHERE id = 1;
END
$$;

CREATE FUNCTION run_x(OUT r_o int, OUT r_i int) LANGUAGE plpgsql AS $$
BEGIN
  SELECT v INTO r_o FROM o WHERE id = 1;
  SELECT v INTO r_i FROM i WHERE id = 1;
  UPDATE p SET q = 1 WHERE id = 1;
END
$$;
