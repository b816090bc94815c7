CREATE TABLE orders (id int PRIMARY KEY, status text NOT NULL);
CREATE TABLE lines (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, qty int NOT NULL);
CREATE FUNCTION ship(o int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  PERFORM 1 FROM orders WHERE id = o AND status = 'open' FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'not open'; END IF;
  SELECT coalesce(sum(qty), 0) INTO n FROM lines WHERE order_id = o;
  IF n = 0 THEN RAISE EXCEPTION 'empty'; END IF;
  UPDATE orders SET status = 'shipped' WHERE id = o;
END $$;
-- FIXED
CREATE FUNCTION set_qty(l int, q int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o int; s text;
BEGIN
  SELECT order_id INTO o FROM lines WHERE id = l;
  IF NOT FOUND THEN RAISE EXCEPTION 'no line'; END IF;
  SELECT status INTO s FROM orders WHERE id = o FOR UPDATE;
  IF s <> 'open' THEN RAISE EXCEPTION 'not open'; END IF;
  UPDATE lines SET qty = q WHERE id = l;
END $$;
-- BROKEN
CREATE FUNCTION set_qty(l int, q int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o int; s text;
BEGIN
  SELECT order_id INTO o FROM lines WHERE id = l;
  IF NOT FOUND THEN RAISE EXCEPTION 'no line'; END IF;
  SELECT status INTO s FROM orders WHERE id = o;
  IF s <> 'open' THEN RAISE EXCEPTION 'not open'; END IF;
  UPDATE lines SET qty = q WHERE id = l;
END $$;
