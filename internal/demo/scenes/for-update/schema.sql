CREATE TABLE account (
  owner   text,
  kind    text,
  balance int NOT NULL,
  PRIMARY KEY (owner, kind)
);

INSERT INTO account VALUES ('Eve', 'checking', 50), ('Eve', 'saving', 50);
