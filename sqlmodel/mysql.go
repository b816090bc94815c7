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
	if opt.Sessions != nil {
		return mysqlSessions(ctx, s, opt)
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

// mysqlSessions makes templates of sessions.
func mysqlSessions(ctx context.Context, s *mysqlscript.Scripts, opt Options) (*ir.Program, error) {
	if len(s.Sessions) == 0 {
		return &ir.Program{}, nil
	}
	in := opt.input(s.Files)
	in.MySQLFiles, in.Foreign, in.Scripts = nil, s.Schema, true
	in.Ctx, in.IsProgram = ctx, true
	for _, x := range s.Sessions {
		for _, p := range x.Steps {
			opt.Sessions(x.Txn.Name, p.From, p.To, p.Units)
		}
		in.Program = append(in.Program, x.Txn)
	}
	return parse(in)
}
