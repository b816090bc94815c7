CREATE TABLE slot (id bigint PRIMARY KEY, doctor bigint NOT NULL, patient bigint NOT NULL);
CREATE TABLE doctor (id bigint PRIMARY KEY, slots bigint NOT NULL);
CREATE TABLE note (slot bigint PRIMARY KEY, text text NOT NULL);
