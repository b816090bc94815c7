CREATE TABLE item (id bigint PRIMARY KEY, box bigint NOT NULL, weight bigint NOT NULL);
CREATE TABLE box (id bigint PRIMARY KEY, items bigint NOT NULL);
