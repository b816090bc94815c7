-- Doctors may leave a shift as long as another one stays. Not robust: two of
-- them, who each see the other, leave at the same time (write skew).
CREATE TABLE shift (id int PRIMARY KEY, version int NOT NULL);
CREATE TABLE doctor (id int PRIMARY KEY, shift int NOT NULL REFERENCES shift, on_call boolean NOT NULL);
