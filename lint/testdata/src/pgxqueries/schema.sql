CREATE TABLE class (id bigint PRIMARY KEY, places bigint NOT NULL, changes bigint NOT NULL);
CREATE TABLE pupil (id bigint PRIMARY KEY, class bigint NOT NULL, name text NOT NULL);
