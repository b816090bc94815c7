-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION get_user(p_user text) RETURNS SETOF customers_by_username LANGUAGE sql AS $$
  SELECT * FROM customers_by_username WHERE username = p_user;
$$;

CREATE FUNCTION get_categories() RETURNS SETOF category LANGUAGE sql AS $$
  SELECT * FROM category;
$$;

CREATE FUNCTION get_products_by_category(p_category_id int) RETURNS SETOF products_by_category LANGUAGE sql AS $$
  SELECT * FROM products_by_category WHERE category_id = p_category_id;
$$;

CREATE FUNCTION get_product_by_upc(p_upc text) RETURNS TABLE (title text, description text, price numeric, in_stock_qty int) LANGUAGE plpgsql AS $$
DECLARE
  v_title text;
  v_description text;
  v_price numeric;
BEGIN
  SELECT p.title, p.description, p.price INTO v_title, v_description, v_price FROM products_by_upc p WHERE p.upc = p_upc;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT v_title, v_description, v_price, s.in_stock_qty FROM instockcounter_by_upc s WHERE s.upc = p_upc;
END
$$;
