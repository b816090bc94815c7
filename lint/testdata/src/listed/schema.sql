CREATE TABLE doctor (id bigint PRIMARY KEY, shift bigint NOT NULL, on_call boolean NOT NULL);
CREATE TABLE shift (id bigint PRIMARY KEY, changes bigint NOT NULL);
