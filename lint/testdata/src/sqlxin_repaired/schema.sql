CREATE TABLE box (id bigint PRIMARY KEY, items bigint NOT NULL);
CREATE TABLE item (id bigint PRIMARY KEY, box bigint NOT NULL REFERENCES box, weight bigint NOT NULL);
