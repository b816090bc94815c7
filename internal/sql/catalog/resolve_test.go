package catalog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/internal/pgtest"
)

var (
	calls = flag.Int("catalog.calls", 3000, "random calls of TestResolutionAgainstServer")
	seed  = flag.Uint64("catalog.seed", 1, "seed of TestResolutionAgainstServer")
)

// argTypes are the types of the arguments of random calls.
var argTypes = []string{"int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "char", "name", "bool", "date", "time",
	"timestamp", "timestamptz", "interval", "uuid", "jsonb", "json", "bytea", "inet", "cidr", "macaddr", "_int4", "_text", "_numeric", "int4range", "tstzrange",
	"oid", "regclass", "bit", "varbit", "money", "timetz", "tsvector", "tsquery", "point", Unknown, Unknown, Unknown, "color", "posint"}

// declared is the scope of the test: an enum and a domain.
type declared struct{}

func (declared) Type(name string) *Type {
	switch name {
	case "color":
		return &Type{Name: name, Kind: 'e', Category: 'E'}
	case "posint":
		return &Type{Name: name, Kind: 'd', Category: 'N', Of: "int4"}
	}
	return nil
}

func (declared) Functions(string) []*Function { return nil }

// TestResolutionAgainstServer asks a server which function or operator random
// calls mean.
func TestResolutionAgainstServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	ctx := context.Background()
	if _, err := conn.Exec(ctx, "CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN posint AS int CHECK (VALUE > 0)"); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 3))
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(system().functions)), func(n string) bool {
		f := system().functions[n][0]
		return f.Extension != "" || f.Kind != 'f' || strings.HasPrefix(n, "pg_") || strings.Contains(laterFunctions, "\n"+n+"\t")
	})
	operators := slices.DeleteFunc(slices.Sorted(maps.Keys(system().operators)), func(n string) bool {
		return !slices.ContainsFunc(system().operators[n], func(o *Operator) bool { return o.Extension == "" })
	})
	c := &Catalog{Scope: declared{}}
	var found, missing, ambiguous int
	for range *calls {
		var args []string
		for range rng.IntN(4) {
			args = append(args, argTypes[rng.IntN(len(argTypes))])
		}
		name, isOperator := names[rng.IntN(len(names))], rng.IntN(3) == 0
		if !isOperator && rng.IntN(4) > 0 { // near a declaration
			fns := system().functions[name]
			args = nearby(rng, fns[rng.IntN(len(fns))].Args)
		}
		if isOperator {
			name = operators[rng.IntN(len(operators))]
			if args = args[:min(len(args), 2)]; len(args) == 0 || len(args) < 2 && rng.IntN(4) > 0 {
				o := system().operators[name][0]
				args = nearby(rng, slices.DeleteFunc([]string{o.Left, o.Right}, func(s string) bool { return s == "" }))
			}
		}
		if slices.ContainsFunc(args, polymorphic) || slices.Contains(args, "any") || slices.Contains(args, "record") {
			continue
		}
		sql, got, outcome := ask(c, name, args, isOperator)
		want, state := serverMeans(t, conn, sql)
		switch {
		case state == "42883" && outcome == Missing:
			missing++
		case state == "42725" && outcome == Ambiguous:
			ambiguous++
		case state == "" && (outcome == Found && want == got || want == "" && outcome != Missing):
			found++
		case state != "" && state != "42883" && state != "42725": // a literal that does not fit, or no polymorphic type
		default:
			t.Errorf("%s: got %q (outcome %d), but the server means %q %s", sql, got, outcome, want, state)
		}
	}
	t.Logf("seed %d: %d calls found, %d missing, %d ambiguous", *seed, found, missing, ambiguous)
	if found < *calls/5 || missing < *calls/50 || ambiguous == 0 {
		t.Errorf("only %d found, %d missing, %d ambiguous", found, missing, ambiguous)
	}
}

// nearby changes some types of a declaration.
func nearby(rng *rand.Rand, args []string) []string {
	out := slices.Clone(args)
	for i := range out {
		switch rng.IntN(5) {
		case 0:
			out[i] = Unknown
		case 1:
			out[i] = argTypes[rng.IntN(len(argTypes))]
		}
		if polymorphic(out[i]) || out[i] == "any" {
			out[i] = []string{"int4", "_int4", "text", "_text", "color", "int4range", "numeric"}[rng.IntN(7)]
		}
	}
	return out
}

// ask resolves a call, and gives SQL that makes it.
func ask(c *Catalog, name string, types []string, isOperator bool) (sql, signature string, outcome Outcome) {
	var exprs []string
	var args []Arg
	for _, t := range types {
		args = append(args, Arg{Type: t})
		switch t {
		case Unknown:
			exprs = append(exprs, "NULL")
		case "char":
			exprs = append(exprs, `NULL::"char"`)
		default:
			exprs = append(exprs, "NULL::"+t)
		}
	}
	var fits []Call
	if !isOperator {
		fits, outcome = c.Function(name, args, false)
		sql = pgx.Identifier{name}.Sanitize() + "(" + strings.Join(exprs, ", ") + ")"
	} else {
		sql = "OPERATOR(pg_catalog." + name + ") " + exprs[len(exprs)-1]
		var left *string
		if len(exprs) == 2 {
			left, sql = &types[0], exprs[0]+" "+sql
		}
		fits, outcome = c.Operator(name, left, types[len(types)-1])
	}
	if outcome == Found {
		signature = fits[0].Signature()
	}
	return sql, signature, outcome
}

var funcID = regexp.MustCompile(`:(?:funcid|opfuncid) (\d+)`)

// serverMeans gives the signature of the function that the expression calls last,
// or the SQLSTATE of the error. It is empty where the server folds the call.
func serverMeans(t *testing.T, conn *pgx.Conn, sql string) (signature, state string) {
	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "CREATE TEMP VIEW v AS SELECT ("+sql+") IS NULL AS x", pgx.QueryExecModeSimpleProtocol); err != nil {
		var pg *pgconn.PgError
		if !errors.As(err, &pg) {
			t.Fatal(err)
		}
		return "", pg.Code
	}
	var tree string
	if err := tx.QueryRow(ctx, "SELECT ev_action::text FROM pg_rewrite WHERE ev_class = 'v'::regclass").Scan(&tree); err != nil {
		t.Fatal(err)
	}
	m := funcID.FindStringSubmatch(tree)
	if m == nil || m[1] == "0" {
		m = regexp.MustCompile(`:opno (\d+)`).FindStringSubmatch(tree)
		if m == nil {
			return "", ""
		}
		id, _ := strconv.Atoi(m[1])
		if err := tx.QueryRow(ctx, "SELECT oprcode::oid FROM pg_operator WHERE oid = $1", id).Scan(&id); err != nil {
			t.Fatal(err)
		}
		m[1] = strconv.Itoa(id)
	}
	id, _ := strconv.Atoi(m[1])
	err = tx.QueryRow(ctx, `SELECT proname || '(' || coalesce((SELECT string_agg(a.typname, ',' ORDER BY k)
		FROM unnest(p.proargtypes) WITH ORDINALITY x(o, k) JOIN pg_type a ON a.oid = x.o), '') || ')' FROM pg_proc p WHERE p.oid = $1`, id).Scan(&signature)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", sql, err))
	}
	return signature, ""
}
