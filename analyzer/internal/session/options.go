package session

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/ir"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
)

// anyLevel are the levels of which a transaction has one where it is not known which.
var anyLevel = []string{"read committed", "repeatable read", "serializable"}

// levelsOf gives the isolation levels one of which a call that begins a transaction asks for, ""
// for that of the session. They are not known where no constants are. The command that begins the
// transaction, if the program gives one, is in the place of all options.
func (in *Session) levelsOf(inv *Invocation) (levels []string, known bool) {
	known = true
	own := 0 // arguments that the call does not have, such as a receiver
	if inv != nil {
		own = len(inv.Args) - len(inv.C.Args)
	}
	for i := own; inv != nil && i < len(inv.Args); i++ {
		if i < 0 || !AreOptions(inv.C.Args[i-own].Type()) {
			continue
		}
		some, ok := in.levelsIn(inv.Args[i])
		levels, known = append(levels, some...), known && ok
	}
	if !known {
		return anyLevel, false
	}
	if len(levels) == 0 {
		return []string{""}, true
	}
	slices.Sort(levels)
	return slices.Compact(levels), true
}

// beginsAt finds the level in a command that begins a transaction.
var beginsAt = regexp.MustCompile(`(?i)isolation\s+level\s+(serializable|(?:read|repeatable)\s+(?:uncommitted|committed|read))`)

// levelOfCommand gives the level in a command that begins a transaction, "" if there is none.
func levelOfCommand(command string) string {
	m := beginsAt.FindStringSubmatch(command)
	if m == nil {
		return ""
	}
	return strings.ToLower(strings.Join(strings.Fields(m[1]), " "))
}

// OfSession gives the levels of a transaction in a program that sets those of some sessions: one that
// asks for none may have these.
func OfSession(levels []string, sessions []program.SessionLevel) []string {
	if len(levels) > 0 && !slices.Contains(levels, "") {
		return levels
	}
	out := append([]string{""}, levels...)
	for _, s := range sessions {
		switch {
		case s.One:
		case s.Level == "":
			out = append(out, anyLevel...)
		default:
			out = append(out, s.Level)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// LevelNote says what a place means that sets the level of sessions.
func LevelNote(s program.SessionLevel) string {
	level := "the isolation level " + strings.ToUpper(s.Level)
	if s.Level == "" {
		level = "an isolation level that is not known"
	}
	if s.One {
		return "the connection that this statement goes to has " + level + " from then on, and the others do not: no transaction is taken to have it"
	}
	return "some sessions have " + level + " by what stands here, and so may transactions that ask for none: if all have, say so by -isolation, or by -level for single ones"
}

// AreOptions reports whether a type is that of options with an isolation level: a struct, a
// pointer to one, or a list of them.
func AreOptions(t types.Type) bool {
	if l, ok := t.Underlying().(*types.Slice); ok {
		t = l.Elem()
	}
	return program.IsOptions(gotypes.Deref(t))
}

// levelsIn gives the levels of options, of a pointer to some, or of the first of a list.
func (in *Session) levelsIn(v memory.Value) (levels []string, known bool) {
	v = memory.Unbox(v)
	if list, ok := in.ListOf(v); ok {
		if len(list) == 0 {
			return []string{""}, true
		}
		return in.levelsIn(list[0])
	}
	some, none, ok := in.StructsOf(v)
	if !ok {
		return nil, in.askForLevel(v)
	}
	if none {
		levels = append(levels, "")
	}
	for _, o := range some {
		if begin := memory.Field(o, "BeginQuery"); begin != nil { // of pgx
			command, ok := memory.ConstText(begin)
			if !ok {
				return nil, false
			}
			if command != "" {
				levels = append(levels, levelOfCommand(command))
				continue
			}
		}
		for _, name := range program.LevelFields {
			level := memory.Field(o, name)
			if level == nil {
				continue
			}
			values, ok := in.ConstantsOf(level)
			if !ok {
				return nil, in.askForLevel(level)
			}
			for _, c := range values {
				if c.Kind == ir.KindText {
					levels = append(levels, c.S)
				} else {
					levels = append(levels, sqlLevels[c.I])
				}
			}
		}
	}
	return levels, true
}

// askForLevel is a level that is not known: callers know it if it is a parameter, or if options
// are among the parameters that are functions. What the receiver holds is not looked for
// among the callers. It always reports false.
func (in *Session) askForLevel(v memory.Value) bool {
	if in.Root.Parent() != nil {
		return false
	}
	params := in.Root.Params
	if in.Root.Signature.Recv() != nil {
		params = params[1:]
	}
	s, ok := memory.Unbox(v).(memory.Scalar)
	for _, p := range params {
		list, isList := p.Type().Underlying().(*types.Slice)
		options := isList && (gotypes.IsFunction(list.Elem()) || types.IsInterface(list.Elem()))
		if options || ok && in.GivenBy(s.E, p.Name()) {
			in.Callers("the isolation level comes from its caller")
		}
	}
	return false
}

// UnknownLevel says that the transaction that begins may have any isolation level.
func (in *Session) UnknownLevel() {
	in.AnyLevel, in.Levels = true, anyLevel
}

// PassesOptions reports whether a method that begins transactions begins them with the options that
// it gets, or with none if it gets none.
func (in *Session) PassesOptions(f *ssa.Function) bool {
	gets := slices.ContainsFunc(f.Params, func(p *ssa.Parameter) bool { return AreOptions(p.Type()) })
	passes := true
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || !in.P.Begins(c.Common().Signature()) {
			return
		}
		passed := !gets
		for _, a := range c.Common().Args {
			if AreOptions(a.Type()) {
				_, passed = a.(*ssa.Parameter)
				if k, isConst := a.(*ssa.Const); isConst && !gets {
					passed = k.IsNil()
				}
			}
		}
		passes = passes && passed
	})
	return passes
}

// readsOnly reports whether the options of a call that begins a transaction keep it from writing.
func (in *Session) readsOnly(inv *Invocation) bool {
	if inv == nil {
		return false
	}
	return slices.ContainsFunc(inv.Args, func(a memory.Value) bool {
		some, none, ok := in.StructsOf(a)
		return ok && !none && !slices.ContainsFunc(some, func(o *memory.Aggregate) bool { return !isReadOnly(o) })
	})
}

// isReadOnly reports whether options keep a transaction from writing.
func isReadOnly(o *memory.Aggregate) bool {
	if c, ok := memory.ConstOf(memory.Field(o, "ReadOnly")); ok && c == ir.Bool(true) { // of database/sql
		return true
	}
	c, ok := memory.ConstOf(memory.Field(o, "AccessMode")) // of pgx
	return ok && c == ir.Text("read only")
}

// sqlLevels are the constants of sql.IsolationLevel.
var sqlLevels = map[int64]string{1: "read uncommitted", 2: "read committed", 3: "read committed", 4: "repeatable read", 5: "repeatable read",
	6: "serializable", 7: "serializable"}
