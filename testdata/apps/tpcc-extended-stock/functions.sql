-- The transactions; schema.sql says what they are and what is expected of them.

-- The terminal shows a line for each item, with the quantity left in stock.
CREATE FUNCTION new_order(p_w int, p_d int, p_c int, p_items int[], p_supply int[], p_qty int[])
    RETURNS TABLE (r_o_id int, r_last text, r_credit text, r_discount numeric, r_w_tax numeric, r_d_tax numeric,
                   r_name text, r_quantity int, r_price numeric, r_amount numeric) LANGUAGE plpgsql AS $$
DECLARE
  v_w_tax numeric;
  v_d_tax numeric;
  v_discount numeric;
  v_last text;
  v_credit text;
  v_o int;
  v_price numeric;
  v_quantity int;
  v_dist text;
  v_amount numeric;
BEGIN
  SELECT w_tax INTO v_w_tax FROM warehouse WHERE w_id = p_w;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no warehouse %', p_w;
  END IF;
  SELECT c_discount, c_last, c_credit INTO v_discount, v_last, v_credit
    FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no customer %', p_c;
  END IF;
  SELECT d_next_o_id, d_tax INTO v_o, v_d_tax FROM district WHERE d_w_id = p_w AND d_id = p_d FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no district %', p_d;
  END IF;
  UPDATE district SET d_next_o_id = v_o + 1 WHERE d_w_id = p_w AND d_id = p_d;
  INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_entry_d)
    VALUES (p_w, p_d, v_o, p_c, NULL, array_length(p_items, 1), now());
  INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_o);
  FOR i IN 1..array_length(p_items, 1) LOOP
    SELECT i_price INTO v_price FROM item WHERE i_id = p_items[i];
    IF NOT FOUND THEN
      RAISE EXCEPTION 'no item %', p_items[i];
    END IF;
    SELECT s_quantity,
           CASE p_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                    WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                    WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
      INTO v_quantity, v_dist FROM stock WHERE s_w_id = p_supply[i] AND s_i_id = p_items[i] FOR UPDATE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'warehouse % does not stock item %', p_supply[i], p_items[i];
    END IF;
    IF v_quantity >= p_qty[i] + 10 THEN
      v_quantity := v_quantity - p_qty[i];
    ELSE
      v_quantity := v_quantity - p_qty[i] + 91;
    END IF;
    UPDATE stock
      SET s_quantity = v_quantity, s_ytd = s_ytd + p_qty[i], s_order_cnt = s_order_cnt + 1,
          s_remote_cnt = s_remote_cnt + CASE WHEN p_supply[i] = p_w THEN 0 ELSE 1 END
      WHERE s_w_id = p_supply[i] AND s_i_id = p_items[i];
    v_amount := p_qty[i] * v_price;
    INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d, ol_dist_info)
      VALUES (p_w, p_d, v_o, i, p_items[i], p_supply[i], p_qty[i], v_amount, NULL, v_dist);
    RETURN QUERY SELECT v_o, v_last, v_credit, v_discount, v_w_tax, v_d_tax, i_name, v_quantity, i_price, v_amount
      FROM item WHERE i_id = p_items[i];
  END LOOP;
END
$$;

-- fresh: p_h_id
CREATE FUNCTION payment(p_h_id int, p_w int, p_d int, p_cw int, p_cd int, p_c int, p_amount numeric,
    OUT r_w_name text, OUT r_d_name text, OUT r_balance numeric) LANGUAGE plpgsql AS $$
DECLARE
  v_balance numeric;
  v_ytd numeric;
  v_cnt int;
  v_credit text;
  v_data text;
BEGIN
  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
  SELECT w_name INTO r_w_name FROM warehouse WHERE w_id = p_w;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no warehouse %', p_w;
  END IF;
  UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;
  SELECT d_name INTO r_d_name FROM district WHERE d_w_id = p_w AND d_id = p_d;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no district %', p_d;
  END IF;
  SELECT c_balance, c_ytd_payment, c_payment_cnt, c_credit, c_data INTO v_balance, v_ytd, v_cnt, v_credit, v_data
    FROM customer WHERE c_w_id = p_cw AND c_d_id = p_cd AND c_id = p_c;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no customer %', p_c;
  END IF;
  IF v_credit = 'BC' THEN
    UPDATE customer
      SET c_balance = v_balance - p_amount, c_ytd_payment = v_ytd + p_amount, c_payment_cnt = v_cnt + 1,
          c_data = left(p_c::text || ' ' || p_w::text || ' ' || p_d::text || ' ' || p_amount::text || ' ' || v_data, 500)
      WHERE c_w_id = p_cw AND c_d_id = p_cd AND c_id = p_c;
  ELSE
    UPDATE customer
      SET c_balance = v_balance - p_amount, c_ytd_payment = v_ytd + p_amount, c_payment_cnt = v_cnt + 1
      WHERE c_w_id = p_cw AND c_d_id = p_cd AND c_id = p_c;
  END IF;
  INSERT INTO history (h_id, h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data)
    VALUES (p_h_id, p_cw, p_cd, p_c, p_w, p_d, now(), p_amount, r_w_name || '    ' || r_d_name);
  r_balance := v_balance - p_amount;
END
$$;

CREATE FUNCTION order_status(p_w int, p_d int, p_c int)
    RETURNS TABLE (r_first text, r_balance numeric, r_o_id int, r_carrier int, r_entry timestamptz,
                   r_item int, r_supply int, r_qty int, r_amount numeric, r_delivery timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  v_first text;
  v_balance numeric;
  v_o int;
  v_carrier int;
  v_entry timestamptz;
BEGIN
  SELECT c_first, c_balance INTO v_first, v_balance FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no customer %', p_c;
  END IF;
  SELECT o_id, o_carrier_id, o_entry_d INTO v_o, v_carrier, v_entry
    FROM oorder WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = p_c ORDER BY o_id DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % has no order', p_c;
  END IF;
  RETURN QUERY SELECT v_first, v_balance, v_o, v_carrier, v_entry,
                      ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
    FROM order_line WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o ORDER BY ol_number;
END
$$;

-- One district: its oldest undelivered order, null when there is none.
CREATE FUNCTION delivery(p_w int, p_d int, p_carrier int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_o int;
  v_c int;
  v_total numeric;
BEGIN
  SELECT no_o_id INTO v_o FROM new_order WHERE no_w_id = p_w AND no_d_id = p_d ORDER BY no_o_id LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = p_d AND no_o_id = v_o;
  SELECT o_c_id INTO v_c FROM oorder WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o;
  UPDATE oorder SET o_carrier_id = p_carrier WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o;
  UPDATE order_line SET ol_delivery_d = now() WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o;
  SELECT COALESCE(sum(ol_amount), 0) INTO v_total
    FROM order_line WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o;
  UPDATE customer SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_c;
  RETURN v_o;
END
$$;

CREATE FUNCTION stock_level(p_w int, p_d int, p_threshold int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_next int;
  v_low bigint;
BEGIN
  SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no district %', p_d;
  END IF;
  SELECT count(DISTINCT s_i_id) INTO v_low
    FROM order_line JOIN stock ON s_w_id = p_w AND s_i_id = ol_i_id
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id >= v_next - 20 AND ol_o_id < v_next AND s_quantity < p_threshold;
  RETURN v_low;
END
$$;

-- A new product, stocked by every warehouse.
CREATE FUNCTION add_product(p_i int, p_name text, p_price numeric, p_qty int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO item (i_id, i_name, i_price, i_data) VALUES (p_i, p_name, p_price, '');
  INSERT INTO stock (s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data,
      s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)
    SELECT w_id, p_i, p_qty, 0, 0, 0, '', '', '', '', '', '', '', '', '', '', '' FROM warehouse;
END
$$;

-- A warehouse serves 30000 customers: the new one starts with those that are too many.
CREATE FUNCTION add_warehouse(p_name text, p_tax numeric) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_w int;
  v_customers bigint;
  v_warehouses bigint;
BEGIN
  SELECT next_w_id INTO v_w FROM warehouse_counter WHERE id = 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the counter of warehouses is missing';
  END IF;
  UPDATE warehouse_counter SET next_w_id = v_w + 1 WHERE id = 1;
  SELECT count(*) INTO v_customers FROM customer;
  SELECT count(*) INTO v_warehouses FROM warehouse;
  INSERT INTO warehouse (w_id, w_name, w_tax, w_ytd, w_backlog)
    VALUES (v_w, p_name, p_tax, 0, v_customers - 30000 * v_warehouses);
  INSERT INTO stock (s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data,
      s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)
    SELECT v_w, i_id, 0, 0, 0, 0, '', '', '', '', '', '', '', '', '', '', '' FROM item;
  RETURN v_w;
END
$$;

CREATE FUNCTION add_customer(p_w int, p_d int, p_c int, p_first text, p_last text, p_credit text, p_discount numeric)
    RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customer (c_w_id, c_d_id, c_id, c_first, c_last, c_credit, c_discount,
      c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data)
    VALUES (p_w, p_d, p_c, p_first, p_last, p_credit, p_discount, 0, 0, 0, 0, '');
END
$$;
