CREATE TABLE task (id bigint PRIMARY KEY, owner bigint NOT NULL, rank bigint NOT NULL, done boolean NOT NULL);
CREATE TABLE owner (id bigint PRIMARY KEY, changes bigint NOT NULL);
