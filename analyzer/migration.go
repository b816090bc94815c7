package analyzer

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/ir"
)

// migrationTypes are the structs in whose fields libraries keep the functions that
// migrate a database; migrationPaths the modules whose functions Add… take them.
var (
	migrationTypes = []string{"github.com/go-gormigrate/gormigrate", "gopkg.in/gormigrate", "github.com/pressly/goose"}
	migrationPaths = "github.com/pressly/goose"
)

// registered gives the functions that an instruction registers as migrations.
func registered(instr ssa.Instruction) []*ssa.Function {
	var out []*ssa.Function
	add := func(v ssa.Value) {
		for {
			c, ok := v.(*ssa.ChangeType)
			if !ok {
				break
			}
			v = c.X
		}
		switch v := v.(type) {
		case *ssa.Function:
			out = append(out, v)
		case *ssa.MakeClosure:
			out = append(out, v.Fn.(*ssa.Function))
		}
	}
	switch i := instr.(type) {
	case *ssa.Store:
		f, ok := i.Addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		name := typeName(f.X.Type())
		at := strings.LastIndexByte(name, '.')
		for _, p := range migrationTypes {
			if strings.HasPrefix(name, p) && (name[at+1:] == "Migration" || name[at+1:] == "GoFunc") {
				add(i.Val)
			}
		}
	case ssa.CallInstruction:
		c := i.Common().StaticCallee()
		if c != nil && c.Pkg != nil && strings.HasPrefix(c.Pkg.Pkg.Path(), migrationPaths) && strings.HasPrefix(c.Name(), "Add") {
			for _, a := range i.Common().Args {
				add(a)
			}
		}
	}
	return out
}

// findMigrations takes note of the functions that an instruction registers, and of
// those that it mentions.
func (p *program) findMigrations(instr ssa.Instruction) {
	for _, f := range registered(instr) {
		p.migrations[f]++
	}
	for _, o := range instr.Operands(nil) {
		if f, ok := (*o).(*ssa.Function); ok {
			p.mentions[f]++
		}
	}
}

// isMigration reports whether a function, or one that it stands in, is used as a
// migration only: it runs alone, before the program does its work. A comment that
// gives it a name takes it in.
func (p *program) isMigration(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		if n := p.migrations[f]; n > 0 && n == p.mentions[f] {
			return p.notes.Names[f.Pos()] == ""
		}
	}
	return false
}

// migrationNote says that migrations are left out.
func (p *program) migrationNote(list []*ssa.Function) ir.Note {
	return ir.Note{Pos: p.position(list[0].Pos()), Text: "functions that are registered as migrations with gormigrate or goose are left out, here and elsewhere: " + itoa(len(list)) +
		"; they are taken to run alone, before the transactions of the program (//robust:txn NAME before one takes it in)"}
}
