CREATE TABLE doctor (id bigint PRIMARY KEY, shift bigint NOT NULL, on_call boolean NOT NULL);
