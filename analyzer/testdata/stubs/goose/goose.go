// Package goose has the signatures of goose, without what they do.
package goose

import "database/sql"

func AddMigration(up, down func(*sql.Tx) error) {}
