// Package qm has what the tests use of the package of this name.
package qm

import "github.com/aarondl/sqlboiler/v4/queries"

type QueryMod interface{ Apply(q *queries.Query) }

func Apply(q *queries.Query, mods ...QueryMod)
func Where(clause string, args ...interface{}) QueryMod
func And(clause string, args ...interface{}) QueryMod
func Or(clause string, args ...interface{}) QueryMod
func Or2(q QueryMod) QueryMod
func Expr(wheremods ...QueryMod) QueryMod
func WhereIn(clause string, args ...interface{}) QueryMod
func WhereNotIn(clause string, args ...interface{}) QueryMod
func Select(columns ...string) QueryMod
func From(from string) QueryMod
func InnerJoin(clause string, args ...interface{}) QueryMod
func LeftOuterJoin(clause string, args ...interface{}) QueryMod
func GroupBy(clause string) QueryMod
func OrderBy(clause string, args ...interface{}) QueryMod
func Having(clause string, args ...interface{}) QueryMod
func Limit(limit int) QueryMod
func Offset(offset int) QueryMod
func For(clause string) QueryMod
func Distinct(clause string) QueryMod
func Load(relationship string, mods ...QueryMod) QueryMod
func SQL(sql string, args ...interface{}) QueryMod
