CREATE TABLE account (owner int NOT NULL, kind int NOT NULL, balance int NOT NULL, PRIMARY KEY (owner, kind));
INSERT INTO account VALUES (1, 1, 2), (1, 2, 2), (2, 1, 3), (2, 2, 0), (3, 1, 1), (3, 2, 1), (3, 3, 1);
