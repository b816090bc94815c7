CREATE TABLE counter (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, hits bigint NOT NULL);
