package syntax

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
)

// Settings are what a session has set for the transactions that follow.
type Settings struct {
	// Level is the isolation level of those that name none, "" for the default of the database.
	Level string
	// Unchecked says that foreign keys and ordinary triggers do not run (session_replication_role).
	Unchecked bool
}

// Take takes over what a statement sets. What SET LOCAL sets ends with its transaction.
func (s *Settings) Take(tree any) {
	switch t := tree.(type) {
	case *pg.DiscardStmt:
		if t.Target.String() == "DISCARD_ALL" {
			*s = Settings{}
		}
	case *pg.VariableSetStmt:
		s.set(t)
	case *pg.SelectStmt:
		if call := SoleCall(t); call != nil && PlainName(Qualified(Names(call.Funcname))) == "set_config" {
			s.config(call)
		}
	}
}

func (s *Settings) set(t *pg.VariableSetStmt) {
	switch {
	case t.IsLocal:
	case t.Kind == pg.SetResetAll:
		*s = Settings{}
	case t.Kind == pg.SetMulti && strings.HasPrefix(t.Name, "SESSION"):
		s.Level = NameOr(Isolation(t.Args), s.Level)
	case strings.EqualFold(t.Name, defaultLevel):
		s.Level = levelValue(t)
	case strings.EqualFold(t.Name, roleOfSession):
		s.Unchecked = DropsChecks(t)
	}
}

// config is a call of set_config.
func (s *Settings) config(call *pg.FuncCall) {
	if len(call.Args) != 3 {
		return
	}
	if local, is := pg.Inner(call.Args[2]).(*pg.A_Const); is && local.GetBoolval().GetBoolval() {
		return
	}
	name, known := constantText(call.Args[0])
	if !known || strings.EqualFold(name, roleOfSession) {
		s.Unchecked = ConfigDropsChecks(call)
	}
	if !known || strings.EqualFold(name, defaultLevel) {
		level, is := constantText(call.Args[1])
		if s.Level = level; !is {
			s.Level = lowestLevel
		}
	}
}

// Or gives what may hold where some path has the one and some path the other.
func (s Settings) Or(o Settings) Settings {
	out := Settings{Level: s.Level, Unchecked: s.Unchecked || o.Unchecked}
	if s.Level != o.Level {
		out.Level = lowestLevel
	}
	return out
}

const (
	defaultLevel = "default_transaction_isolation"
	// lowestLevel stands for a level that is not known.
	lowestLevel = "read uncommitted"
)

// levelValue is the isolation level that SET or RESET gives to a setting, "" for the default.
func levelValue(s *pg.VariableSetStmt) string {
	if s.Kind == pg.SetReset || s.Kind == pg.SetDefault {
		return ""
	}
	if len(s.Args) == 1 {
		if c, ok := pg.Inner(s.Args[0]).(*pg.A_Const); ok && c.GetSval() != nil {
			return c.GetSval().GetSval()
		}
	}
	return lowestLevel
}
