CREATE TABLE saving (
  customer text PRIMARY KEY,
  balance  int NOT NULL
);

CREATE TABLE checking (
  customer text PRIMARY KEY,
  balance  int NOT NULL
);

INSERT INTO saving VALUES ('Dora', 0);
INSERT INTO checking VALUES ('Dora', 0);
