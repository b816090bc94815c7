-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION balance(p_name text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_cust int;
  v_saving int;
  v_checking int;
BEGIN
  SELECT cust_id INTO v_cust FROM account WHERE name = p_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_name;
  END IF;
  SELECT bal INTO v_saving FROM saving WHERE cust_id = v_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no saving account', v_cust;
  END IF;
  SELECT bal INTO v_checking FROM checking WHERE cust_id = v_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no checking account', v_cust;
  END IF;
  RETURN v_saving + v_checking;
END
$$;

CREATE FUNCTION deposit_checking(p_name text, p_v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cust int;
BEGIN
  IF p_v < 0 THEN
    RAISE EXCEPTION 'cannot deposit %', p_v;
  END IF;
  SELECT cust_id INTO v_cust FROM account WHERE name = p_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_name;
  END IF;
  UPDATE checking SET bal = bal + p_v WHERE cust_id = v_cust;
END
$$;

CREATE FUNCTION transact_saving(p_name text, p_v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cust int;
  v_saving int;
BEGIN
  SELECT cust_id INTO v_cust FROM account WHERE name = p_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_name;
  END IF;
  SELECT bal INTO v_saving FROM saving WHERE cust_id = v_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no saving account', v_cust;
  END IF;
  IF v_saving + p_v < 0 THEN
    RAISE EXCEPTION 'the saving account of customer % would be overdrawn', v_cust;
  END IF;
  UPDATE saving SET bal = v_saving + p_v WHERE cust_id = v_cust;
END
$$;

CREATE FUNCTION amalgamate(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_from int;
  v_to int;
  v_saving int;
  v_checking int;
BEGIN
  IF p_from = p_to THEN
    RAISE EXCEPTION 'both accounts are %', p_from;
  END IF;
  SELECT cust_id INTO v_from FROM account WHERE name = p_from;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_from;
  END IF;
  SELECT cust_id INTO v_to FROM account WHERE name = p_to;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_to;
  END IF;
  SELECT bal INTO v_saving FROM saving WHERE cust_id = v_from;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no saving account', v_from;
  END IF;
  SELECT bal INTO v_checking FROM checking WHERE cust_id = v_from;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no checking account', v_from;
  END IF;
  UPDATE saving SET bal = 0 WHERE cust_id = v_from;
  UPDATE checking SET bal = 0 WHERE cust_id = v_from;
  UPDATE checking SET bal = bal + v_saving + v_checking WHERE cust_id = v_to;
END
$$;

CREATE FUNCTION write_check(p_name text, p_v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cust int;
  v_saving int;
  v_checking int;
BEGIN
  SELECT cust_id INTO v_cust FROM account WHERE name = p_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_name;
  END IF;
  SELECT bal INTO v_saving FROM saving WHERE cust_id = v_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no saving account', v_cust;
  END IF;
  UPDATE saving SET bal = bal WHERE cust_id = v_cust;
  SELECT bal INTO v_checking FROM checking WHERE cust_id = v_cust;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no checking account', v_cust;
  END IF;
  IF v_saving + v_checking < p_v THEN
    UPDATE checking SET bal = v_checking - (p_v + 1) WHERE cust_id = v_cust;
  ELSE
    UPDATE checking SET bal = v_checking - p_v WHERE cust_id = v_cust;
  END IF;
END
$$;
