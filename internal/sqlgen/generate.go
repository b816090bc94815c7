package sqlgen

import (
	"math/rand/v2"
	"strconv"
)

// New makes an application. Equal seeds and options give equal ones.
func New(seed uint64, o Options) *App {
	if o.Txns == 0 {
		o.Txns = 8
	}
	if o.Statements == 0 {
		o.Statements = 5
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	if o.Tables == 0 {
		o.Tables = 4
	}
	if o.Idioms == 0 {
		o.Idioms = 16
	}
	if len(o.Kinds) == 0 {
		o.Kinds = []Kind{PLpgSQL, PLpgSQL, PLpgSQL, SQLFunction, SQLFunction, Procedure}
	}
	g := &gen{rng: rand.New(rand.NewPCG(seed, 11)), opt: o, app: &App{Seed: seed, Decls: list("", 0)}, types: typesOf(o.Types | Basic)}
	if o.Dialect == MySQL {
		g.app.Dialect, g.types = MySQL, mysqlTypes
		(&mysqlGen{g}).mysqlApp()
		return g.app
	}
	g.schema()
	for i := range o.Txns {
		g.app.Txns = append(g.app.Txns, g.txn("f"+strconv.Itoa(i+1)))
	}
	return g.app
}
