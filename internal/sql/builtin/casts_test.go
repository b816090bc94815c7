package builtin

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// castTypes are types with their modifiers.
var castTypes = strings.Split(`int2|int4|int8|oid|numeric|numeric(6,2)|numeric(3,0)|float4|float8|bool|text|varchar|varchar(3)|char(4)|"char"|name|uuid|json|jsonb|bytea|date|`+
	`timestamp|timestamp(0)|timestamp(2)|timestamptz|timestamptz(1)|time|time(1)|timetz|timetz(0)|interval|interval(2)|inet|cidr|macaddr|bit(3)|bit(8)|varbit|varbit(2)|`+
	`int4range|numrange|tstzrange|int4[]|int8[]|text[]|numeric[]|varchar(2)[]|numeric(4,1)[]|color|color[]|bool[]|timestamp(0)[]`, "|")

// castArgument gives a value to cast: texts are often those of the target type.
func castArgument(rng *rand.Rand, from, to *value.Type, name string) ir.Value {
	if rng.IntN(40) == 0 {
		return ir.Null
	}
	if from.IR() == ir.TextType && from.Labels == nil && from.Name != "uuid" && from.Name != "json" && rng.IntN(3) > 0 {
		texts := append(append([]string{""}, inputs[name]...), inputs[to.Name]...)
		texts = append(texts, to.Class().Samples...)
		if v, ok := to.Sample(rng.IntN(4)); ok {
			texts = append(texts, to.Print(v))
		}
		s := pickOne(rng, texts...)
		if rng.IntN(3) == 0 {
			s = change(rng, s)
		}
		if v, err := from.Parse(s); err == nil {
			return v
		}
	}
	return argument(rng, from)
}

// TestCastsAgainstServer compares casts of random values, written and in assignments.
func TestCastsAgainstServer(t *testing.T) {
	conn := connect(t)
	setup := `CREATE FUNCTION stored(number text, expr text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE r text; BEGIN EXECUTE 'INSERT INTO stored_' || number || ' SELECT ' || expr || ' RETURNING v::text' INTO r; RETURN r; END $$;`
	for i, name := range castTypes {
		setup += "CREATE TEMP TABLE stored_" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + " (v " + name + ");"
	}
	if _, err := conn.Exec(context.Background(), setup, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 11))
	known, total := 0, 0
	for _, fromName := range castTypes {
		for i, toName := range castTypes {
			from, to := typeOf(fromName), typeOf(toName)
			k := resolver.Cast(from.Name, to.Name)
			if k == nil && from.Name != to.Name {
				continue
			}
			var list []*invocation
			var exprs []string
			for n := 0; n < max(1, *cases/30); n++ {
				explicit := rng.IntN(2) == 0
				if !explicit && k != nil && k.Context == 'e' {
					continue
				}
				v := castArgument(rng, from, to, toName)
				f := Convert(from, to, explicit)
				if f == nil {
					f = &ir.Function{Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return a[0], nil }}
				}
				sql := literal(from, v) + "::" + toName
				if !explicit {
					sql = "stored('" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "', " + value.Quote(literal(from, v)) + ")"
				}
				c := &invocation{sql: sql, fn: f, args: []ir.Value{v}, result: to}
				total++
				if _, err := c.value(); !value.NotKnown(err) {
					list = append(list, c)
					exprs = append(exprs, sql)
				}
			}
			known += len(list)
			for i, answer := range ask(t, conn, exprs) {
				if problem := list[i].fault(answer); problem != "" {
					t.Errorf("%s: %s, the server says %s", list[i].sql, problem, answer)
				}
			}
		}
	}
	t.Logf("seed %d: %d of %d casts are known", *seed, known, total)
	if known < total/2 {
		t.Errorf("only %d of %d casts are known", known, total)
	}
}
