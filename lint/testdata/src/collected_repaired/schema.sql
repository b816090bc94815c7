CREATE TABLE budget (id bigint PRIMARY KEY, project bigint NOT NULL, amount bigint NOT NULL);
