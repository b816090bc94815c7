-- The transactions; schema.sql says what they are and what is expected of them.

-- Returns whether the account is new, as a light-weight transaction does.
CREATE FUNCTION add_new_account(p_account text, p_primary text, p_secondary text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO user_accounts (account_name, keys)
    VALUES (p_account, jsonb_build_object('primary', p_primary, 'secondary', p_secondary))
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$$;

CREATE FUNCTION delete_an_account(p_account text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM user_accounts WHERE account_name = p_account;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_account;
  END IF;
  DELETE FROM user_accounts WHERE account_name = p_account;
END
$$;

CREATE FUNCTION add_new_key(p_account text, p_key text, p_value text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_keys jsonb;
BEGIN
  SELECT keys INTO v_keys FROM user_accounts WHERE account_name = p_account;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_account;
  END IF;
  IF v_keys ? p_key THEN
    RAISE EXCEPTION 'account % already has a key %', p_account, p_key;
  END IF;
  UPDATE user_accounts SET keys = v_keys || jsonb_build_object(p_key, p_value) WHERE account_name = p_account;
END
$$;

CREATE FUNCTION delete_a_key(p_account text, p_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_keys jsonb;
BEGIN
  SELECT keys INTO v_keys FROM user_accounts WHERE account_name = p_account;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', p_account;
  END IF;
  UPDATE user_accounts SET keys = v_keys - p_key WHERE account_name = p_account;
END
$$;

CREATE FUNCTION get_an_account(p_account text) RETURNS TABLE (account_name text, keys jsonb) LANGUAGE sql AS $$
  SELECT a.account_name, a.keys FROM user_accounts a WHERE a.account_name = p_account;
$$;

CREATE FUNCTION get_accounts() RETURNS TABLE (account_name text, keys jsonb) LANGUAGE sql AS $$
  SELECT a.account_name, a.keys FROM user_accounts a;
$$;

CREATE FUNCTION get_account_keys(p_account text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT a.keys FROM user_accounts a WHERE a.account_name = p_account;
$$;

CREATE FUNCTION get_account_key(p_account text, p_key text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT a.keys -> p_key FROM user_accounts a WHERE a.account_name = p_account;
$$;
