CREATE TABLE lamp (id int PRIMARY KEY, lit boolean NOT NULL);
CREATE TABLE heater (id int PRIMARY KEY, hot boolean NOT NULL);
INSERT INTO lamp VALUES (1, false), (2, false), (3, true);
INSERT INTO heater VALUES (1, false), (2, false), (3, false);
