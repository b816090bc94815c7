CREATE TABLE notes (id bigint PRIMARY KEY, author bigint NOT NULL, text text NOT NULL);
