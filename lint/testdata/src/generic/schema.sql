CREATE TABLE screening (id bigint PRIMARY KEY, seats bigint NOT NULL, sold bigint NOT NULL);
CREATE TABLE ticket (id bigint PRIMARY KEY, screening bigint NOT NULL, holder text NOT NULL);
