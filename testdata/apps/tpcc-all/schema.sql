-- TPC-C with one delivery transaction for the ten districts of a warehouse.
-- Source: TPC Benchmark C, revision 5.11; columns that play no part are left out.
-- A customer picked by last name is the first one by first name, where the
-- specification takes the middle one: the footprint is the same kind of read.
--
-- Expected: not robust. Delivery, delayed, finds district 1 empty and delivers an
-- order of a customer of district 2; a new_order in district 1 takes an item, a
-- new_order of that customer takes the same item and shows what is left of it,
-- and order_status shows the customer's new order with the balance before the
-- delivery. If new_order did not show the stock that is left, nobody could tell
-- which of the two came first, and another order would explain everything.
-- Robust without order_status, new_order or delivery.

CREATE TABLE warehouse (
  w_id int PRIMARY KEY,
  w_name text NOT NULL,
  w_tax numeric NOT NULL,
  w_ytd numeric NOT NULL
);

CREATE TABLE district (
  d_w_id int REFERENCES warehouse (w_id),
  d_id int,
  d_name text NOT NULL,
  d_tax numeric NOT NULL,
  d_ytd numeric NOT NULL,
  d_next_o_id int NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
  c_w_id int,
  c_d_id int,
  c_id int,
  c_first text NOT NULL,
  c_last text NOT NULL,
  c_credit text NOT NULL,
  c_discount numeric NOT NULL,
  c_balance numeric NOT NULL,
  c_ytd_payment numeric NOT NULL,
  c_payment_cnt int NOT NULL,
  c_delivery_cnt int NOT NULL,
  c_data text NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id),
  FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);

CREATE TABLE history (
  h_id int PRIMARY KEY,
  h_c_w_id int NOT NULL,
  h_c_d_id int NOT NULL,
  h_c_id int NOT NULL,
  h_w_id int NOT NULL,
  h_d_id int NOT NULL,
  h_date timestamptz NOT NULL,
  h_amount numeric NOT NULL,
  h_data text NOT NULL,
  FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer (c_w_id, c_d_id, c_id),
  FOREIGN KEY (h_w_id, h_d_id) REFERENCES district (d_w_id, d_id)
);

CREATE TABLE item (
  i_id int PRIMARY KEY,
  i_name text NOT NULL,
  i_price numeric NOT NULL,
  i_data text NOT NULL
);

CREATE TABLE stock (
  s_w_id int REFERENCES warehouse (w_id),
  s_i_id int REFERENCES item (i_id),
  s_quantity int NOT NULL,
  s_ytd int NOT NULL,
  s_order_cnt int NOT NULL,
  s_remote_cnt int NOT NULL,
  s_data text NOT NULL,
  s_dist_01 text NOT NULL,
  s_dist_02 text NOT NULL,
  s_dist_03 text NOT NULL,
  s_dist_04 text NOT NULL,
  s_dist_05 text NOT NULL,
  s_dist_06 text NOT NULL,
  s_dist_07 text NOT NULL,
  s_dist_08 text NOT NULL,
  s_dist_09 text NOT NULL,
  s_dist_10 text NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)
);

CREATE TABLE oorder (
  o_w_id int,
  o_d_id int,
  o_id int,
  o_c_id int NOT NULL,
  o_carrier_id int,
  o_ol_cnt int NOT NULL,
  o_entry_d timestamptz NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id),
  FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)
);

CREATE TABLE new_order (
  no_w_id int,
  no_d_id int,
  no_o_id int,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id),
  FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES oorder (o_w_id, o_d_id, o_id)
);

CREATE TABLE order_line (
  ol_w_id int,
  ol_d_id int,
  ol_o_id int,
  ol_number int,
  ol_i_id int NOT NULL,
  ol_supply_w_id int NOT NULL,
  ol_quantity int NOT NULL,
  ol_amount numeric NOT NULL,
  ol_delivery_d timestamptz,
  ol_dist_info text NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
  FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES oorder (o_w_id, o_d_id, o_id),
  FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES stock (s_w_id, s_i_id)
);
