CREATE TABLE shift (id bigint PRIMARY KEY, deputy bigint NOT NULL, leader bigint, note text);
