CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);
