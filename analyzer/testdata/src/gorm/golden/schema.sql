CREATE TABLE accounts (
  id bigserial,
  owner text NOT NULL,
  balance bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE audits (
  id bigserial,
  text text,
  PRIMARY KEY (id)
);
CREATE TABLE bookings (
  room text,
  day text,
  name text,
  PRIMARY KEY (room, day)
);
CREATE TABLE order_lines (
  id bigserial,
  order_id bigint,
  code text,
  amount bigint,
  PRIMARY KEY (id)
);
CREATE TABLE orders (
  id bigserial,
  created_at timestamptz,
  updated_at timestamptz,
  status text DEFAULT 'new',
  note text,
  buyer_id bigint,
  PRIMARY KEY (id)
);
CREATE TABLE products (
  id bigserial,
  created_at timestamptz,
  updated_at timestamptz,
  deleted_at timestamptz,
  code text,
  stock bigint,
  price bigint,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX idx_products_code ON products (code);
ALTER TABLE order_lines ADD FOREIGN KEY (order_id) REFERENCES orders (id);
ALTER TABLE orders ADD FOREIGN KEY (buyer_id) REFERENCES accounts (id);
