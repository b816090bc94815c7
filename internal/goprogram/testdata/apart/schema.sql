CREATE TABLE accounts (id bigint PRIMARY KEY, owner text NOT NULL, balance int NOT NULL, version int NOT NULL, note text);
CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL, worker text);
CREATE UNIQUE INDEX ON jobs (worker) WHERE state = 'running';
CREATE TABLE seats (id bigserial PRIMARY KEY, show_id bigint NOT NULL, name text NOT NULL, place int NOT NULL);
CREATE TABLE users (id bigserial PRIMARY KEY, email text NOT NULL UNIQUE, admin boolean NOT NULL);
