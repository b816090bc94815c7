CREATE TABLE doctor (
  name    text PRIMARY KEY,
  on_call boolean NOT NULL
);

INSERT INTO doctor VALUES ('Alice', true), ('Bob', true);
