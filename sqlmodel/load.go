package sqlmodel

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/dialect"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/tables"
)

// File is an input file: Name appears in positions.
type File = input.File

// Options are what a caller may choose.
type Options struct {
	// Txns restricts the templates to these functions. They are templates
	// even if other functions call them.
	Txns []string
	// Schema is DDL that was found and not named, such as that of package
	// internal/schemafind. It is read before the files. What of it cannot be read
	// gives a note, and no statement on a table that it names is modelled; a table
	// that nobody declares is one of which nothing is known. Its functions are no
	// templates unless Txns names them, and its rows are no initial rows.
	Schema []File
	// MySQL says that the statements are in MySQL's dialect, those of a client program or of the files themselves. Beside a
	// client program, MySQLFiles says which files are (internal/sql/mysql).
	MySQL      bool
	MySQLFiles []string
	// SearchPath is the search path with which sessions begin: schemas in the order in which names without one are
	// looked for. Nil is "$user", public, or what ALTER DATABASE or ALTER ROLE … SET in the files says. In the dialect of
	// MySQL its first schema is the database of the sessions.
	SearchPath []string
	// Before are files that Load reads before those of its paths.
	Before []File
	// Files reads the files of Load and those that these include; nil allows what
	// is in the directories of the paths. Without it, Parse takes no file from the
	// disk.
	Files *infile.Reader
	// Trace, if not nil, is told what the translation does, as robust debug sql prints it: the phase (syntax, bind or rules),
	// a place, and text.
	Trace func(phase string, at ir.Pos, text string)
	// Sessions, if not nil, makes the templates those of sessions, not of transactions: each has the statements of several transactions
	// one after the other, as internal/stale looks at them, and has the name of the procedure or file. Sessions is told of which transactions of a template
	// one the statement between two places belongs to.
	Sessions func(template string, from, to ir.Pos, units []string)
}

// Load reads SQL files and directories as one application: all *.sql in these, by number if all begin
// with one and by name otherwise, without what undoes migrations. Faults of the input are *ir.Error; a file that cannot be read
// is another error that names it.
func Load(ctx context.Context, paths []string, opt Options) (*ir.Program, error) {
	var err error
	if opt.Files, err = input.Reader(opt.Files, paths); err != nil {
		return nil, err
	}
	files, err := input.Read(ctx, opt.Files, paths, syntax.MaxFile, syntax.Smaller)
	if err != nil {
		return nil, err
	}
	files = input.Applied(files)
	all := slices.Concat(opt.Before, files)
	var prog *ir.Program
	if opt.MySQL {
		prog, err = parseMySQL(ctx, all, opt)
	} else if opt.Sessions == nil || slices.ContainsFunc(all, mayHaveSessions) {
		in := opt.input(all)
		in.Ctx = ctx
		prog, err = parse(in)
	} else {
		prog = &ir.Program{}
	}
	if err != nil {
		return nil, err
	}
	prog.Name = input.LoadedName(files)
	return prog, nil
}

// sessionWords are those without which no file has a session: a procedure may COMMIT, \gset keeps values, and \i includes another file.
var sessionWords = regexp.MustCompile(`(?i)\\(gset|i|ir|include|include_relative)\b|\bcreate\s+(or\s+replace\s+)?procedure\b`)

func mayHaveSessions(f File) bool { return sessionWords.MatchString(f.Text) }

// Parse reads the files, in order, as one application.
func Parse(files []File, opt Options) (*ir.Program, error) {
	files = input.Applied(files)
	if opt.MySQL {
		return parseMySQL(context.Background(), files, opt)
	}
	return parse(opt.input(files))
}

// input is what the application of some files is read from.
func (o Options) input(files []File) schema.Input {
	return schema.Input{Named: files, Found: o.Schema, More: o.Files, Txns: o.Txns, MySQL: o.MySQL, MySQLFiles: o.MySQLFiles, SearchPath: o.SearchPath, Trace: o.Trace, Sessions: o.Sessions}
}

func parse(in schema.Input) (prog *ir.Program, err error) {
	defer func() { err = advised(err) }()
	defer input.Catch(&err)
	trace := in.Trace
	for {
		var told []func() // by the last round alone
		if trace != nil {
			in.Trace = func(phase string, at ir.Pos, text string) {
				told = append(told, func() { trace(phase, at, text) })
			}
		}
		l, err := read(in)
		if err != nil {
			return nil, err
		}
		if err := l.translate(); err != nil {
			return nil, err
		}
		mended, newer := l.Mended(), (&tables.Completer{Application: l.Application}).Newer()
		if len(mended)+len(newer) == 0 {
			for _, tell := range told {
				tell()
			}
			return l.Prog, l.Finish()
		}
		in.Mended, in.Newer = append(in.Mended, mended...), append(in.Newer, newer...)
	}
}

// advised says what to do where a table of another schema is missing, which often no file of an application makes.
func advised(err error) error {
	e, ok := err.(*ir.Error)
	if !ok {
		return err
	}
	name, missing := strings.CutPrefix(e.Msg, schema.NoTable)
	of, _, qualified := strings.Cut(name, ".")
	if !missing || !qualified || of == "public" || strings.Contains(name, " ") {
		return err
	}
	return ir.Errorf(e.Pos, "%s; if an extension or a platform makes what is in %s, declare in a file of its own what is used of it, and name that, too", e.Msg, of)
}

// translate makes the transactions.
func (l *loader) translate() error {
	l.Effects = map[string]*schema.Effect{} // all is declared
	entries, err := l.Entries()
	if err != nil {
		return err
	}
	none := len(entries) == 0 && !l.In.IsProgram && l.In.Sessions == nil
	if none && len(l.LeftOut) > 0 {
		return ir.Errorf(l.LeftOut[0], "a statement that changes rows outside of a transaction is not analysed; write BEGIN … COMMIT around it, or a comment -- name: … before it")
	}
	if none {
		return ir.Errorf(ir.Pos{File: l.Files[0].Name},
			"there is no transaction here; write each one as CREATE FUNCTION … LANGUAGE plpgsql or sql, or as BEGIN … COMMIT")
	}
	for _, fn := range entries {
		if err := l.Ended(); err != nil {
			return err
		}
		txn := l.template(fn)
		if other := l.Prog.Txn(txn.Name); other != nil {
			return ir.Errorf(fn.Pos, "there is another transaction %s at %s; give one a name with a comment -- name: …", txn.Name, other.Pos)
		}
		if fn.Program != nil {
			l.Hold(txn, fn.Program.Txn.Mutexes)
		}
		l.Prog.Txns = append(l.Prog.Txns, txn)
	}
	return nil
}

// read reads the files up to the tables and the declarations of functions.
func read(in schema.Input) (l *loader, err error) {
	defer input.Catch(&err)
	declared, err := load.NewLoader(in)
	if err != nil {
		return nil, err
	}
	l = &loader{query.NewApplication(declared)}
	if in.MySQL {
		l.Dialect = dialect.MySQL{}
	}
	l.RowOfView = l.typeOfRows
	if err := l.ReadAll(); err != nil {
		return nil, err
	}
	c := &tables.Completer{Application: l.Application}
	c.FinishTables()
	l.FindEmptied()
	c.Invariants()
	return l, nil
}

// loader translates what an application declares.
type loader struct{ *expr.Application }
