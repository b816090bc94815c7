
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE DOMAIN email AS text COLLATE "C" DEFAULT 'x@y' NOT NULL CONSTRAINT at CHECK (VALUE ~ '@');
CREATE DOMAIN emails AS email[];
CREATE TYPE addr AS (street text, zip varchar(10), n posint);
CREATE TYPE mood AS ENUM ('sad','ok','happy');
ALTER TYPE mood ADD VALUE 'ecstatic' AFTER 'happy';
CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE TABLE person (id posint PRIMARY KEY, mail email, home addr, m mood DEFAULT 'ok', moods mood[], ra floatrange, tags text[] NOT NULL DEFAULT '{}', x int4multirange, iv interval(3), ts timestamp(0) with time zone, bt bit(8), vb bit varying(5), js jsonb, xm xml, tq tsquery, tv tsvector, pt point, ci inet, mc macaddr, mo money, u uuid DEFAULT gen_random_uuid(), by bytea, ch "char", nm name, o oid, cid cidr, box box, circle circle, path path, polygon polygon, lseg lseg, line line, lsn pg_lsn, rc regclass, snap pg_snapshot, rol regrole);
CREATE TABLE typed OF addr (street PRIMARY KEY, zip WITH OPTIONS NOT NULL DEFAULT '1');
