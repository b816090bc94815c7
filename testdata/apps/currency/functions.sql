-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_id
CREATE FUNCTION save_trade(p_id uuid, p_user_id text, p_from text, p_to text, p_sell numeric, p_buy numeric,
    p_rate numeric, p_time timestamp, p_country text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trades (id, user_id, currency_from, currency_to, amount_sell, amount_buy, rate, time_placed, originating_country)
    VALUES (p_id, p_user_id, p_from, p_to, p_sell, p_buy, p_rate, p_time, p_country);
END
$$;

CREATE FUNCTION view_list_trades(p_time timestamp) RETURNS SETOF trades LANGUAGE sql AS $$
  SELECT * FROM trades WHERE time_placed > p_time;
$$;

CREATE FUNCTION view_trade(p_id uuid) RETURNS SETOF trades LANGUAGE sql AS $$
  SELECT * FROM trades WHERE id = p_id;
$$;

CREATE FUNCTION view_trade_user(p_id uuid) RETURNS text LANGUAGE sql AS $$
  SELECT user_id FROM trades WHERE id = p_id;
$$;

CREATE FUNCTION get_nb_trades() RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM trades;
$$;

CREATE FUNCTION get_trade_time_stamp(p_id uuid) RETURNS timestamp LANGUAGE sql AS $$
  SELECT time_placed FROM trades WHERE id = p_id;
$$;
