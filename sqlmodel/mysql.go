package sqlmodel

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/ir"
)

// parseMySQL reads files in the dialect of MySQL: their transactions are those of a client, which sends the statements one
// by one.
func parseMySQL(ctx context.Context, files []File, opt Options) (*ir.Program, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("no SQL file was given")
	}
	s, err := mysql.ReadScripts(files)
	if err != nil {
		return nil, otherDialect(err, files)
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

// postgresOnly matches what only PostgreSQL has: bodies of functions between dollars, its
// languages, casts with colons, types of numbered columns.
var postgresOnly = regexp.MustCompile(`(?i)\$[a-z_]*\$\s|\blanguage\s+'?plpgsql\b|\w::[a-z]|\b(big|small)?serial\b`)

// otherDialect adds to the error of a file in the dialect of PostgreSQL that it is that.
func otherDialect(err error, files []File) error {
	e, ok := errors.AsType[*ir.Error](err)
	if !ok {
		return err
	}
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == e.Pos.File })
	if i < 0 || !postgresOnly.MatchString(files[i].Text) {
		return err
	}
	return ir.Errorf(e.Pos, "%s: this is the dialect of PostgreSQL; leave -dialect mysql out", e.Msg)
}
