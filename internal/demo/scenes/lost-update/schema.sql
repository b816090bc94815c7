CREATE TABLE account (
  owner   text PRIMARY KEY,
  balance int NOT NULL
);

INSERT INTO account VALUES ('Carol', 100);
