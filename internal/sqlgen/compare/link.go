package compare

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Link is a connection to a database system, with what comparisons know of the system:
// Postgres and MariaDB make one.
type Link interface {
	// run executes SQL text of any number of statements, and gives the rows of each that
	// has a result.
	run(ctx context.Context, sql string) ([][]record, error)
	// do executes one command.
	do(ctx context.Context, c command) ([]record, error)
	// cancel ends the command under way, if it takes long.
	cancel(ctx context.Context)
	// id names the connection for allWait.
	id() string
	// allWait asks on this connection whether all of the connections named wait for locks.
	allWait(ctx context.Context, ids []string) (bool, error)
	// prepare makes the settings of a connection that runs transactions.
	prepare(ctx context.Context) error

	system
}

// system is what comparisons know of a database system.
type system interface {
	// profile is that of the level of the comparisons.
	profile() *engine.Profile
	// parse reads an application, in which transactions have these names.
	parse(text string, names []string) (*ir.Program, error)
	// reset are commands that empty the database, sequences SQL that makes all sequences
	// begin where their values are told from others, and from those of other sequences.
	reset() []string
	sequences() string
	// empty is SQL that removes the rows of tables, refill SQL that does so and brings
	// others in.
	empty(tables []string) string
	refill(tables []refilled) string
	// canon is a query for what the system prints for a value of a type, "" where that is
	// the value as it is written.
	canon(t *sqlgen.Type, v string) string
	// serve runs a call in a transaction that it rolls back. looks are the queries for
	// all rows.
	serve(s *Server, t *sqlgen.Txn, args []*string, looks string) served
	// clock is the time that all transactions see, nil if it passes.
	clock() *string
	// late says that a transaction may take its snapshot later than at its first
	// statement.
	late() bool
}

// refilled is the rows of a table, as the system prints them.
type refilled struct {
	table   string
	columns []string
	rows    [][]*string
}

// values writes the rows as INSERT statements, with words between the columns and VALUES.
func (r refilled) values(words string) string {
	var b strings.Builder
	for _, row := range r.rows {
		vals := make([]string, len(row))
		for i, v := range row {
			if vals[i] = "NULL"; v != nil {
				vals[i] = "'" + strings.ReplaceAll(*v, "'", "''") + "'"
			}
		}
		fmt.Fprintf(&b, "INSERT INTO %s (%s)%s VALUES (%s);", r.table, strings.Join(r.columns, ", "), words, strings.Join(vals, ", "))
	}
	return b.String()
}

// code is the SQLSTATE of an error of PostgreSQL or a word for an error of MariaDB,
// "" for other errors.
func code(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	if m, ok := errors.AsType[*mysql.MySQLError](err); ok {
		if w := errorWords[m.Number]; w != "" {
			return w
		}
		return strconv.Itoa(int(m.Number))
	}
	return ""
}

// errorWords are for the errors of MariaDB that tell classes of findings apart.
var errorWords = map[uint16]string{1048: "null", 1062: "duplicate", 1242: "several rows", severalRows: "several rows", 1264: "out of range", resultRange: "result out of range", byZero: "division by zero",
	1366: "incorrect value", 1292: "incorrect value", 1265: "truncated", 1406: "too long", 1451: "has children", 1452: "no parent", 4025: "check", 1364: "no default", changed: "changed", deadlock: "deadlock", lockTimeout: "timeout"}

// Errors of MariaDB.
const (
	valuesDiffer   = 1136 // as many values as columns
	severalRows    = 1172
	changed        = 1020
	lockTimeout    = 1205
	deadlock       = 1213
	notAgainstSame = 1093 // a subquery reads the table that is written
	oneColumn      = 1241
	mixedCollation = 1267
	resultRange    = 1690
	byZero         = 1365
)

// invalid reports whether the server refuses the text itself.
func invalid(err error) bool {
	if m, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return string(m.SQLState[:2]) == "42" && m.Number != severalRows ||
			slices.Contains([]uint16{valuesDiffer, notAgainstSame, oneColumn, mixedCollation}, m.Number)
	}
	k := code(err)
	return strings.HasPrefix(k, "42") || k == "0A000"
}

// waited reports whether an error comes from waiting or from what others did meanwhile
// to rows that the model need not exclude.
func waited(err error) bool {
	if m, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return m.Number == changed || m.Number == lockTimeout || m.Number == deadlock
	}
	k := code(err)
	return k == "40P01" || k == "55P03" || k == "57014" || k == "40001" && checksKey(err)
}

// checksKey reports whether PostgreSQL met an error when it looked for the rows that a foreign
// key is about. It waits there for others who have written one, and gives up where they
// commit; behind their commit it would not have found the row.
func checksKey(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.Contains(e.Where, "FOR KEY SHARE OF x")
}

// commands are what a client sends for a transaction.
func commands(t *sqlgen.Txn, args []*string) []command {
	if t.Dialect == sqlgen.MySQL {
		out := []command{{sql: "START TRANSACTION"}}
		if forget := forgetting(t); forget != "" {
			out[0].sql = forget + "; " + out[0].sql
		}
		for _, sql := range statements(t, args) {
			out = append(out, command{sql: sql})
		}
		return append(out, command{sql: "COMMIT"})
	}
	out := []command{{sql: "BEGIN ISOLATION LEVEL REPEATABLE READ"}}
	if t.Kind != sqlgen.Script {
		out = append(out, command{sql: "SELECT 1"}, command{sql: call(t, args)})
		return append(out, command{sql: "COMMIT"})
	}
	for _, n := range t.Node.Kids {
		out = append(out, statement(strings.TrimSuffix(strings.TrimSpace(n.String()), ";"), args))
	}
	return append(out, command{sql: "COMMIT"})
}

var dollar = regexp.MustCompile(`\$[0-9]+`)

// statement is a command with the parameters that it names, numbered from 1.
func statement(sql string, args []*string) command {
	c := command{params: true}
	number := map[string]int{}
	c.sql = dollar.ReplaceAllStringFunc(sql, func(p string) string {
		if number[p] == 0 {
			n, _ := strconv.Atoi(p[1:])
			c.args = append(c.args, args[n-1])
			number[p] = len(c.args)
		}
		return fmt.Sprint("$", number[p])
	})
	return c
}

var variable = regexp.MustCompile(`@v[0-9]+`)

// forgetting makes the variables of the user NULL that a transaction names, "" where it
// names none.
func forgetting(t *sqlgen.Txn) string {
	names := variable.FindAllString(t.Node.String(), -1)
	if len(names) == 0 {
		return ""
	}
	return "SET " + strings.Join(names, " = NULL, ") + " = NULL"
}

var colon = regexp.MustCompile(`:p[0-9]+`)

// statements are those of a script in the dialect of MySQL, with its arguments.
func statements(t *sqlgen.Txn, args []*string) []string {
	var out []string
	for _, n := range t.Node.Kids {
		sql := strings.TrimSuffix(strings.TrimSpace(n.String()), ";")
		out = append(out, colon.ReplaceAllStringFunc(sql, func(p string) string {
			n, _ := strconv.Atoi(p[2:])
			if args[n-1] == nil {
				return "NULL"
			}
			return t.Params[n-1].Type.Literal(*args[n-1])
		}))
	}
	return out
}
