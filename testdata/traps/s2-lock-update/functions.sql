-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION write_check(p_cust int, p_v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_saving int;
  v_checking int;
BEGIN
  UPDATE audit SET queries = queries WHERE cust_id = p_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no customer %', p_cust;
  END IF;
  SELECT bal INTO v_saving FROM saving WHERE cust_id = p_cust;
  SELECT bal INTO v_checking FROM checking WHERE cust_id = p_cust;
  IF v_saving + v_checking < p_v THEN
    UPDATE checking SET bal = v_checking - (p_v + 1) WHERE cust_id = p_cust;
  ELSE
    UPDATE checking SET bal = v_checking - p_v WHERE cust_id = p_cust;
  END IF;
END
$$;

CREATE FUNCTION transact_saving(p_cust int, p_v int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE saving SET bal = bal + p_v WHERE cust_id = p_cust;
END
$$;

CREATE FUNCTION balance(p_cust int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_saving int;
  v_checking int;
BEGIN
  SELECT bal INTO v_saving FROM saving WHERE cust_id = p_cust;
  SELECT bal INTO v_checking FROM checking WHERE cust_id = p_cust;
  UPDATE audit SET queries = queries + 1 WHERE cust_id = p_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no customer %', p_cust;
  END IF;
  RETURN v_saving + v_checking;
END
$$;
