
CREATE TABLE d (id bigserial PRIMARY KEY, t text, j jsonb, ar int[], b bytea, ts timestamptz, n numeric, x bool, u uuid); INSERT INTO d (t,j,ar,b,ts,n,x) SELECT 'row '||i, jsonb_build_object('i',i), ARRAY[i,NULL], decode('00ff','hex'), '2024-01-01'::timestamptz + i * interval '1 day', i/3.0, i%2=0 FROM generate_series(1,30) i;
CREATE TABLE d2 (id int, d bigint REFERENCES d, CONSTRAINT k UNIQUE (id, d) DEFERRABLE INITIALLY DEFERRED, CONSTRAINT ck CHECK (id IN (1,2,3) AND d BETWEEN 1 AND 100 AND (id::text ~ '^\d$') AND id = ANY (ARRAY[1,2,3])));
CREATE TABLE empty (); 
