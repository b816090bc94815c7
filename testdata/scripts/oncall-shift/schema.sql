-- The repair of oncall: whoever leaves a shift changes its row, so that of two at
-- the same time one fails. Robust.
CREATE TABLE shift (id int PRIMARY KEY, version int NOT NULL);
CREATE TABLE doctor (id int PRIMARY KEY, shift int NOT NULL REFERENCES shift, on_call boolean NOT NULL);
