package program

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/comments"
	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// levelSetting is the name by which PostgreSQL knows the level of a session.
const levelSetting = "default_transaction_isolation"

// setLevel finds the setting of the level of a session in a text: the name of a data source, or a
// statement; of MySQL, too. levelAfter finds the level behind it.
var (
	setLevel = regexp.MustCompile(`(?i)` + levelSetting + `\s*(?:=|\bto\b)|set_config\(\s*'` + levelSetting + `'\s*,|session\s+characteristics\s+as\s+transaction(?:[^;]*\s+isolation\s+level|\s*$|\s*%)` +
		`|set\s+(?:session|global)\s+transaction\s+isolation\s+level|set\s+(?:session\s+|global\s+|@@session\.|@@global\.)(?:tx|transaction)_isolation\s*=|[?&](?:tx|transaction)_isolation=`)
	levelAfter = regexp.MustCompile(`(?i)^[\s'"\\]*(serializable|(?:read|repeatable)[\s\\+-]+(?:uncommitted|committed|read))`)
)

// unescape undoes what stands in the address of a data source.
var unescape = strings.NewReplacer("%20", " ", "%27", "'", "%5C", `\`, "%5c", `\`, "%3D", "=", "%3d", "=")

// ofOneTransaction finds a statement that sets something for one transaction only, lasting one that
// does so for later connections.
var (
	ofOneTransaction = regexp.MustCompile(`(?i)^\s*set\s+local\s`)
	lasting          = regexp.MustCompile(`(?i)^\s*(?:alter\s|set\s+(?:global\s|@@global\.))`)
)

// SessionLevel is an isolation level that a place sets for whole sessions, "" if it is not known.
type SessionLevel struct {
	Level string
	At    token.Pos
	// One says that a statement sets it that goes to one connection of a pool: the others keep the
	// default.
	One bool
}

// sessionLevels finds the places that set the level of whole sessions: in the name of a data source, in
// the parameters of a connection, or by a statement.
func (p *Program) sessionLevels() (list []SessionLevel) {
	for _, f := range p.outermostFuncs() {
		gotypes.EachInstr(f, func(instr ssa.Instruction) {
			for _, s := range p.levelsSetBy(instr) {
				if !s.At.IsValid() {
					s.At = f.Pos()
				}
				if !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		})
	}
	return list
}

// levelsSetBy gives the levels of sessions that an instruction sets.
func (p *Program) levelsSetBy(instr ssa.Instruction) (list []SessionLevel) {
	one := p.sentToOne(instr)
	var texts []string // of the operands, "" for what is no constant text
	for _, v := range instr.Operands(nil) {
		text := ""
		if c, ok := (*v).(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
			text = constant.StringVal(c.Value)
		}
		texts = append(texts, text)
	}
	for i, text := range texts {
		if text == levelSetting && i+1 < len(texts) {
			switch instr.(type) {
			case *ssa.MapUpdate, ssa.CallInstruction: // name and value
				list = append(list, SessionLevel{Level: levelIn(texts[i+1]), At: instr.Pos()})
			}
			continue
		}
		if text = unescape.Replace(text); ofOneTransaction.MatchString(text) {
			continue
		}
		for _, at := range setLevel.FindAllStringIndex(text, -1) {
			list = append(list, SessionLevel{Level: levelIn(text[at[1]:]), At: instr.Pos(), One: one && !lasting.MatchString(text)})
		}
	}
	return list
}

// sentToOne reports whether an instruction is a call of a method of a pool or transaction, or one that
// begins with such an argument: a statement goes to one connection.
func (p *Program) sentToOne(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	through := c.Value
	if !c.IsInvoke() && len(c.Args) > 0 {
		through = c.Args[0]
	}
	return p.HandleType(through.Type()) != "" && !p.Know.IsConn(through.Type())
}

// levelIn gives the level that a text begins with, "" if none is known.
func levelIn(text string) string {
	m := levelAfter.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	name := strings.ToLower(strings.Join(strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" \\+-\t\n", r) }), " "))
	if !comments.IsLevel(name) {
		return ""
	}
	return name
}

// LevelFields are the fields of options that hold the isolation level, of database/sql and of pgx.
var LevelFields = []string{"Isolation", "IsoLevel"}

// IsOptions reports whether a type is that of options with an isolation level.
func IsOptions(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if slices.Contains(LevelFields, s.Field(i).Name()) {
			return true
		}
	}
	return false
}

// GivesOptions reports whether a function gives options, or a struct that has some.
func GivesOptions(f *ssa.Function) bool {
	r := f.Signature.Results()
	for i := range r.Len() {
		t := gotypes.Deref(r.At(i).Type())
		if IsOptions(t) {
			return true
		}
		s, ok := t.Underlying().(*types.Struct)
		for k := 0; ok && k < s.NumFields(); k++ {
			if IsOptions(gotypes.Deref(s.Field(k).Type())) {
				return true
			}
		}
	}
	return false
}
