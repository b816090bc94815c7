CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctor VALUES (1, true), (2, true), (3, false);
