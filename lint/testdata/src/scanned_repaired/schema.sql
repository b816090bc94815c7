CREATE TABLE item (id bigint PRIMARY KEY, weight bigint NOT NULL, label text);
