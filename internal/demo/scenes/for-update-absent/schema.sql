CREATE TABLE voucher (
  code text PRIMARY KEY,
  uses int NOT NULL
);

CREATE TABLE redemption (
  code     text NOT NULL REFERENCES voucher,
  customer text NOT NULL,
  PRIMARY KEY (code, customer)
);

INSERT INTO voucher VALUES ('GIFT10', 0);
