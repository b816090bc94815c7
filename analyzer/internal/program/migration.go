package program

import (
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/ir"
)

// findMigrations records the functions that an instruction registers, and of
// those that it mentions.
func (p *Program) findMigrations(instr ssa.Instruction) {
	for _, n := range p.Know.list {
		if n.Migrations == nil {
			continue
		}
		for _, f := range n.Migrations(instr) {
			p.migrations[f]++
		}
	}
	for _, o := range instr.Operands(nil) {
		if f, ok := (*o).(*ssa.Function); ok {
			p.mentions[f]++
		}
	}
}

// IsMigration reports whether a function, or one that it stands in, is used as a
// migration only: it runs alone, before the program does its work. A comment that
// gives it a name takes it in.
func (p *Program) IsMigration(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		if n := p.migrations[f]; n > 0 && n == p.mentions[f] {
			return p.Notes.Names[f.Pos()] == ""
		}
	}
	return false
}

// MigrationNote says that migrations are left out.
func (p *Program) MigrationNote(list []*ssa.Function) ir.Note {
	return ir.Note{Pos: p.Position(list[0].Pos()), Text: "functions that are registered as migrations with gormigrate or goose are left out, here and elsewhere: " + strconv.Itoa(len(list)) +
		"; they are taken to run alone, before the transactions of the program (//robust:txn NAME before one takes it in)"}
}
