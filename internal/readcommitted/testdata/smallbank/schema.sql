CREATE TABLE account (name text PRIMARY KEY, custid int NOT NULL UNIQUE);
CREATE TABLE savings (custid int PRIMARY KEY REFERENCES account(custid), bal int NOT NULL);
CREATE TABLE checking (custid int PRIMARY KEY REFERENCES account(custid), bal int NOT NULL);
