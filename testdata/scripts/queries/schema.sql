-- Queries with parameters and names, as sqlc reads them; each is a transaction by
-- itself. Robust: one statement on one row sees what it writes, and so does the
-- sum, which is the only statement with a view of several rows.
CREATE TABLE account (id bigserial PRIMARY KEY, owner text NOT NULL, balance bigint NOT NULL CHECK (balance >= 0));
