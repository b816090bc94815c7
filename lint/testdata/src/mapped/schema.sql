CREATE TABLE orders (id bigserial PRIMARY KEY, customer bigint NOT NULL, open boolean NOT NULL);
CREATE TABLE customers (id bigserial PRIMARY KEY, orders bigint NOT NULL);
