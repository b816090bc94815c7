CREATE TABLE board (id bigint PRIMARY KEY, changes bigint NOT NULL);
CREATE TABLE card (id bigint PRIMARY KEY, board bigint NOT NULL REFERENCES board);
CREATE TABLE history (id bigserial PRIMARY KEY, card bigint NOT NULL, text text NOT NULL);
