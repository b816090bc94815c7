CREATE TABLE counter (id bigint PRIMARY KEY, name text NOT NULL, hits bigint NOT NULL);
