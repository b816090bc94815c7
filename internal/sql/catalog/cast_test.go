package catalog

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/pgtest"
)

// castTypes are the types of argTypes, each once and without literals.
func castTypes() []string {
	types := slices.Clone(argTypes)
	slices.Sort(types)
	return slices.DeleteFunc(slices.Compact(types), func(t string) bool { return t == Unknown })
}

func sqlType(t string) string {
	if t == "char" {
		return `"char"`
	}
	return t
}

// TestCastsAgainstServer asks a server, for each two types, which conversions it
// makes by itself, in assignments, and when it is told to.
func TestCastsAgainstServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	ctx := context.Background()
	types := castTypes()
	setup := "CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN posint AS int CHECK (VALUE > 0);"
	for _, x := range types {
		setup += "CREATE TABLE " + pgx.Identifier{"t_" + x}.Sanitize() + " (v " + sqlType(x) + ");"
	}
	if _, err := conn.Exec(ctx, setup); err != nil {
		t.Fatal(err)
	}
	works := func(sql string) bool {
		_, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		return err == nil
	}
	c := &Catalog{Scope: declared{}}
	n := 0
	for _, from := range types {
		for _, to := range types {
			var context byte
			if k := c.Cast(c.Base(from), c.Base(to)); k != nil {
				context = k.Context
			}
			same := c.Base(from) == c.Base(to)
			value := "NULL::" + sqlType(from)
			for _, k := range []struct {
				what, sql string
				want      bool
			}{
				{"explicit", "SELECT " + value + "::" + sqlType(to), same || context != 0},
				{"assignment", "INSERT INTO " + pgx.Identifier{"t_" + to}.Sanitize() + " SELECT " + value, same || context == 'a' || context == 'i'},
			} {
				if got := works(k.sql); got != k.want {
					t.Errorf("%s conversion from %s to %s: got %v, the server says %v", k.what, from, to, k.want, got)
				}
				n++
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d conversions", n)
	}
}

// TestCommonAgainstServer asks a server for the type of COALESCE of random types.
func TestCommonAgainstServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	ctx := context.Background()
	if _, err := conn.Exec(ctx, "CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN posint AS int CHECK (VALUE > 0)"); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 4))
	c := &Catalog{Scope: declared{}}
	found := 0
	for range *calls / 2 {
		var types, exprs []string
		for n := 2 + rng.IntN(2); n > 0; n-- {
			x := argTypes[rng.IntN(len(argTypes))]
			if len(types) > 0 && rng.IntN(2) == 0 {
				if same := c.Type(c.Base(types[0])); same != nil {
					for { // of the same category
						if o := c.Type(x); o != nil && o.Category == same.Category {
							break
						}
						x = argTypes[rng.IntN(len(argTypes))]
					}
				}
			}
			types = append(types, x)
			if x == Unknown {
				exprs = append(exprs, "NULL")
			} else {
				exprs = append(exprs, "NULL::"+sqlType(x))
			}
		}
		var want string
		err := conn.QueryRow(ctx, "SELECT t.typname FROM pg_type t WHERE t.oid = pg_typeof(COALESCE("+strings.Join(exprs, ", ")+"))", pgx.QueryExecModeSimpleProtocol).Scan(&want)
		got, ok := c.Common(types)
		if ok != (err == nil) || ok && got != want {
			t.Errorf("%v: got %s, %v, the server says %s, %v", types, got, ok, want, err)
		}
		if ok {
			found++
		}
	}
	t.Logf("seed %d: %d of %d have a type", *seed, found, *calls/2)
	if found < *calls/10 {
		t.Errorf("only %d have a type", found)
	}
}
