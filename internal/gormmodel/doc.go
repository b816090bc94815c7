// Package gormmodel says how GORM v2 stores structs of Go: in which table, in
// which columns, with which keys and relations, and by which statements
// AutoMigrate makes the tables.
//
// It reads types alone. What a method TableName gives is asked of whoever reads
// the bodies of functions. Names are made as the default NamingStrategy makes
// them, plural forms by the library that GORM uses. Where a type of a column has
// its own ideas about the statements on its table (QueryClauses and the like,
// gorm.DeletedAt apart), Model.Odd says so.
//
// Source: the documentation of GORM (https://gorm.io/docs/models.html,
// conventions.html, has_many.html), and the observed statements of its
// PostgreSQL driver.
//
// Not done: polymorphic relations, fields of embedded pointers, serializers of
// one's own, name replacers. Model.Odd or a Relation of kind Unclear says so
// where it matters.
package gormmodel
