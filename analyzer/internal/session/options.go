package session

import (
	"github.com/txrobust/robust/ir"

	"github.com/txrobust/robust/analyzer/internal/memory"
)

// levelOf gives the isolation level among the options of a transaction, "" if
// there is none. It is not known where it is no constant, or where the program gives the
// command that begins the transaction, in the place of all options.
func (in *Session) levelOf(args []memory.Value) (level string, known bool) {
	for _, a := range args {
		o, ok := in.StructOf(a)
		if !ok {
			continue
		}
		if begin := memory.Field(o, "BeginQuery"); begin != nil { // of pgx
			if c, ok := memory.ConstOf(begin); !ok || c != ir.Text("") {
				return "", false
			}
		}
		level := memory.Field(o, "Isolation") // of database/sql
		if level == nil {
			level = memory.Field(o, "IsoLevel") // of pgx
		}
		if level == nil {
			continue
		}
		c, ok := memory.ConstOf(level)
		switch {
		case !ok:
			return "", false
		case c.Kind == ir.KindText:
			return c.S, true
		}
		return sqlLevels[c.I], true
	}
	return "", true
}

// readsOnly reports whether the options of a transaction keep it from writing.
func (in *Session) readsOnly(args []memory.Value) bool {
	for _, a := range args {
		o, ok := in.StructOf(a)
		if !ok {
			continue
		}
		if c, ok := memory.ConstOf(memory.Field(o, "ReadOnly")); ok && c == ir.Bool(true) { // of database/sql
			return true
		}
		if c, ok := memory.ConstOf(memory.Field(o, "AccessMode")); ok && c == ir.Text("read only") { // of pgx
			return true
		}
	}
	return false
}

// sqlLevels are the constants of sql.IsolationLevel.
var sqlLevels = map[int64]string{1: "read uncommitted", 2: "read committed", 3: "read committed", 4: "repeatable read", 5: "repeatable read",
	6: "serializable", 7: "serializable"}
