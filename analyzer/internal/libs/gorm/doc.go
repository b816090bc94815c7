// Package gorm models GORM v2. A *gorm.DB is a chain of calls (chain.go): its statement is
// kept apart from its text until a call sends it, and then has the text that GORM's driver
// for PostgreSQL would send. Tables and columns are those of package gormmodel.
package gorm
