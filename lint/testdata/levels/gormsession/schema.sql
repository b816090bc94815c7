CREATE TABLE items (id bigint PRIMARY KEY, stock bigint NOT NULL);
