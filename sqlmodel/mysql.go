//go:build !js

package sqlmodel

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/mysqlscript"
)

// parseMySQL reads files in the dialect of MySQL: their transactions are those of a client, which sends the statements one
// by one.
func parseMySQL(ctx context.Context, files []File, opt Options) (*ir.Program, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("no SQL file was given")
	}
	s, err := mysqlscript.ReadScripts(files)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(s.Txns, opt.Txns)
	if err != nil {
		return nil, err
	}
	for i, t := range chosen {
		for _, o := range chosen[:i] {
			if o.Name == t.Name {
				return nil, ir.Errorf(t.Pos, "there is another transaction %s at %s; give one a name with a comment -- name: …", t.Name, o.Pos)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, ir.Errorf(ir.Pos{File: files[0].Name}, "there is no transaction here; write each one as START TRANSACTION … COMMIT, or name a statement with a comment -- name: …")
	}
	in := opt.input(s.Files)
	in.MySQLFiles, in.Foreign, in.Scripts = nil, s.Schema, true
	in.Ctx, in.Program, in.IsProgram = ctx, chosen, true
	prog, err := parse(in)
	if err != nil {
		return nil, err
	}
	prog.Name, prog.MySQL, prog.Schema = input.ProgramName(files), true, s.Declared
	prog.Ignores = append(prog.Ignores, s.Ignores...)
	prog.Notes = append(prog.Notes, s.Notes...)
	input.SortNotes(prog.Notes, files)
	prog.Notes = slices.Compact(prog.Notes)
	return prog, nil
}
