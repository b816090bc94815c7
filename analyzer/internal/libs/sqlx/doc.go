// Package sqlx models github.com/jmoiron/sqlx: what it has beside database/sql, such as
// structs by the names of columns, and names of parameters in texts.
package sqlx
