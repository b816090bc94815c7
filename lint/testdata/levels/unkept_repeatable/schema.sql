CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE counter (name text PRIMARY KEY, n bigint NOT NULL);
