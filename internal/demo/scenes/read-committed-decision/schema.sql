CREATE TABLE concert (
  band  text PRIMARY KEY,
  seats int NOT NULL
);

INSERT INTO concert VALUES ('Trio', 3);
