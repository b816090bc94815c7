CREATE TABLE rooms (id bigserial PRIMARY KEY, beds bigint NOT NULL, guests bigint NOT NULL);
CREATE TABLE stays (id bigserial PRIMARY KEY, room_id bigint NOT NULL, guest text NOT NULL, gone boolean NOT NULL);
