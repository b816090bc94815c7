package robust

import (
	"context"
	"path/filepath"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/ir"
)

// GoProgram makes the program to check of what analyzer.Load found in Go code. Its schema is
// the DDL in the files and directories that are named. Without one it is looked for in the
// modules of the program, by the names that migrations and schemas have; without any, the
// tables are those that libraries make of structs. The program's Notes say what was taken.
// Faults of the schema are *ir.Error.
func GoProgram(ctx context.Context, found *analyzer.Result, schema ...string) (*ir.Program, error) {
	roots, err := goprogram.Roots(found.Modules)
	if err != nil {
		return nil, err
	}
	source, err := goprogram.Open(ctx, found, goprogram.Options{Schema: schema, Roots: roots})
	if err != nil {
		return nil, err
	}
	p, err := source.Program(ctx)
	if err == nil && len(found.Modules) > 0 {
		p.Name = filepath.Base(found.Modules[0])
	}
	return p, err
}
