CREATE TABLE customer (
  name    text PRIMARY KEY,
  orders  int NOT NULL,
  balance int NOT NULL
);

CREATE TABLE stock (
  item     text PRIMARY KEY,
  quantity int NOT NULL
);

CREATE TABLE orders (
  district  int,
  number    int,
  customer  text NOT NULL REFERENCES customer,
  delivered boolean NOT NULL,
  PRIMARY KEY (district, number)
);

INSERT INTO customer VALUES ('Finn', 0, 0), ('Gina', 1, 0);
INSERT INTO stock VALUES ('lamp', 10);
INSERT INTO orders VALUES (2, 1, 'Gina', false);
