CREATE TABLE account (id bigint PRIMARY KEY, customer bigint NOT NULL, balance bigint NOT NULL);
