CREATE TABLE member (id serial PRIMARY KEY, person int NOT NULL, team int NOT NULL);
INSERT INTO member (person, team) VALUES (1, 1);
