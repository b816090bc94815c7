-- Shopping-Cart: users and products are looked up.
-- Source: the open-source program Shopping_Cart_Angular_Cassandra
-- (CategoryAndProductDAOImpl, CustomerDAOImpl); CAV 2019, appendix F.
--
-- Expected: robust, trivially: nothing is written.

CREATE TABLE customers_by_username (
  username text PRIMARY KEY,
  customer_id int,
  email text,
  password text,
  firstname text,
  lastname text
);

CREATE TABLE category (
  category_id int PRIMARY KEY,
  category_name text
);

CREATE TABLE products_by_category (
  category_id int,
  upc text,
  category_name text,
  title text,
  description text,
  price numeric,
  PRIMARY KEY (category_id, upc)
);

CREATE TABLE products_by_upc (
  upc text PRIMARY KEY,
  title text,
  description text,
  price numeric
);

CREATE TABLE instockcounter_by_upc (
  upc text PRIMARY KEY,
  in_stock_qty int
);
