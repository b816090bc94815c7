CREATE TABLE item (id bigint PRIMARY KEY, stock bigint NOT NULL);
