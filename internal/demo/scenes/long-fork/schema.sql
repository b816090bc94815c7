CREATE TABLE post (
  author text PRIMARY KEY,
  likes  int NOT NULL
);

INSERT INTO post VALUES ('Ann', 0), ('Ben', 0);
