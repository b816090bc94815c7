// Package schemafind finds the schema of a Go project by the conventions of the
// tools that keep schemas: the DDL that package sqlmodel reads when nobody names
// it.
//
// A module is searched for candidates. In this order, the first one is taken:
//
//  1. the schema paths of a configuration of sqlc;
//  2. a directory of migrations for goose, sql-migrate, dbmate, tern,
//     golang-migrate or Atlas;
//  3. a directory of SQL files that is named migrations, schema or the like, or
//     whose files are numbered;
//  4. files named schema.sql, structure.sql or the like;
//  5. other SQL files that //go:embed names;
//  6. CREATE TABLE and what goes with it in strings of Go, in the order in which
//     they stand.
//
// Candidates below a directory named test, example or the like come after all
// others. Among those of one kind, ones that the program embeds come first, then
// those with a shorter path, then by name. A candidate without CREATE TABLE is
// none, and neither is one in the dialect of a database that was not asked for.
// What was passed over is part of the result, so that it can be shown: a wrong
// choice is repaired by naming the schema.
//
// Migrations are put in the order of their numbers, then of their names. What
// undoes them is left out: files by their names, and the part of a file that
// stands behind a mark, such as -- +goose Down, by blanks, so that every
// statement keeps its line and column. A numbered file without a direction, among files
// of golang-migrate, counts where the module does not require that: golang-migrate
// passes it over, a program that applies the files itself does not.
//
// What is found is read with sqlmodel.Options.Schema, which makes notes of the
// statements that it cannot read and gives up on the tables that they name. A template,
// such as {{.user}} or ${USER}, may stand for a role in GRANT, REVOKE and OWNER TO.
//
// The dialect is what sqlc is told, else what names of directories and files say
// (db/mysql, schema.sqlite.sql), else what the text looks like.
//
// Migrations that are written in Go are not run: what the constant strings in
// them declare is taken to happen, in the order of the source, unless a name says
// that they undo something (Down, rollback). Strings that only remove things count
// where a name speaks of migrations or a schema: elsewhere, they clean up. A note
// says that there are migrations of goose in Go, beside files of SQL. Links are not followed, and neither are testdata, vendor, node_modules,
// hidden directories and other modules looked into.
//
// Source: the manuals of the tools, as far as they say what files there are, in
// which order they are applied and how a part that undoes them is marked.
package schemafind
