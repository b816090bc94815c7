package session

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/ir"
)

// Library models what a library does with the database.
type Library struct {
	program.Names
	// Functions are models of functions and methods by their full names.
	Functions map[string]CallModel
	// Method models the call of a method of a value; ok is false if it is none of the
	// library.
	Method func(s *Session, inv *Invocation, name string, sig *types.Signature) (v memory.Value, ok bool)
	// Generated models the call of a function of the program that the library generated; ok is false for others.
	Generated func(s *Session, inv *Invocation, f *ssa.Function) (v memory.Value, ok bool)
	// Field gives the address of a field of what a value of the library points to.
	Field func(s *Session, recv memory.Value, owner types.Type, field *types.Var) (addr memory.Value, ok bool)
	// Fresh gives a value of a type of the library of which nothing is known, nil for
	// other types.
	Fresh func(t types.Type) memory.Value
	// InLoop gives what stays known of a handle of the library that a loop replaces.
	InLoop func(m *memory.Memory, h *memory.Handle) (memory.Value, bool)
	// Named reports whether a map or struct that is the only argument of a statement has
	// the values of parameters that the text names after a colon.
	Named func(h *memory.Handle) bool
	// Stored gives the texts of the statements that the library stores in fields of structs, in ways that are not
	// read: prepared ones, or the texts themselves.
	Stored func() map[*types.Var][]string
	// Tables gives the tables that the library makes for the program, with the DDL.
	Tables func() (models []Model, ddl []Declaration)
}

// CallModel models a call; ok is false if it says nothing of this one.
type CallModel func(s *Session, inv *Invocation) (v memory.Value, ok bool)

// Model is a table that a library keeps structs in.
type Model struct {
	// Pos is where the program lets the library make the table, or else where the struct is declared.
	Pos   ir.Pos
	Table string
	// Migrated says that the program makes the table with the library.
	Migrated bool
}

// Declaration is DDL that makes the table of a model, or changes it.
type Declaration struct {
	Model Model
	SQL   string
}
