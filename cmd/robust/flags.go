package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/terminal"
)

// paths is a flag that may be given several times.
type paths []string

func (p *paths) String() string     { return strings.Join(*p, ",") }
func (p *paths) Set(s string) error { *p = append(*p, s); return nil }

// common are the flags of every command that reads programs.
type common struct {
	schemas, allowed   paths
	txns, dialect, eng string
	classic            bool
	output             string
	config             configFlag
	color              string
	// searchPath is that of -search-path, nil if it was not given.
	searchPath searchPath
}

// searchPath is the value of -search-path.
type searchPath []string

func (p *searchPath) Set(s string) error {
	path, err := syntax.ParseSearchPath(s)
	*p = path
	return err
}

func (p *searchPath) String() string { return syntax.ShowSearchPath(*p) }

func (c *common) declare(fs *flag.FlagSet) {
	fs.Var(&c.schemas, "schema", "`PATH` of DDL that is apart from the transactions (repeatable)")
	fs.Var(&c.allowed, "allow-include", "`DIR` that includes and symbolic links of the input may lead to, besides the directories of the inputs (repeatable)")
	fs.StringVar(&c.txns, "txn", "", "look only at these transactions: `NAME,…`")
	fs.Var(&c.searchPath, "search-path", "`SCHEMA,…` in which sessions look for names without one (default \"$user\", public, or what ALTER DATABASE or ROLE … SET in the files says); in the dialect of MySQL the database of the sessions")
	flags.Choice(fs, &c.dialect, "dialect", "postgres", []string{"postgres", "mysql"}, "SQL `dialect`: postgres or mysql")
	flags.Choice(fs, &c.eng, "engine", "", engine.Names(), "`database`: "+strings.Join(engine.Names(), " or ")+" (default postgres for SQL, mysql with -dialect mysql, si for litmus)")
	fs.BoolVar(&c.classic, "classic", false, "dependencies count whatever the values, as in CAV'19")
	fs.StringVar(&c.output, "o", "", "write the result to `FILE` instead of standard output")
	fs.Var(&c.config, "config", "`FILE` with values of flags, or none (default: robust.yaml in the folder of the input, or the nearest one above it in the repository)")
}

// declareColor declares -color.
func declareColor(fs *flag.FlagSet, to *string) {
	flags.Choice(fs, to, "color", "auto", ansi.Modes(), "`when` to use colors: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// colored reports whether the result goes in colors to where it goes.
func (c *common) colored(std streams) bool {
	return (c.output == "" || c.color == "always") && ansi.Wanted(c.color, terminal.Is(std.out))
}

// declareInit declares -init.
func declareInit(fs *flag.FlagSet, to *string, usage string) {
	flags.Choice(fs, to, "init", "", []string{"any", "empty", "file"}, usage)
}

// sources checks the flags, and gives what to read. Standard input is read at once.
func (c *common) sources(ctx context.Context, inputs []string) (*sources, error) {
	files, err := infile.NewReader(c.allowed...)
	if err != nil {
		return nil, usagef("-allow-include: %v", err)
	}
	s := &sources{inputs: slices.Clone(inputs), schemas: c.schemas, dialect: c.dialect, files: files, searchPath: c.searchPath}
	if c.txns != "" {
		for _, n := range strings.Split(c.txns, ",") {
			if n = strings.TrimSpace(n); n == "" {
				return nil, usagef("-txn %s: a name is missing", c.txns)
			}
			if !slices.Contains(s.txns, n) {
				s.txns = append(s.txns, n)
			}
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := s.readStandardInput(ctx); err != nil {
		return nil, err
	}
	if strings.HasPrefix(c.eng, "mariadb") && len(s.golang()) > 0 {
		return nil, usagef("-engine %s: the statements of Go programs are read in the dialect of PostgreSQL, which compares values otherwise", c.eng)
	}
	e := engine.ByName(c.eng)
	postgres := e != nil && !e.InnoDB
	switch {
	case c.eng == "" || len(s.sql()) == 0:
	case c.dialect == "postgres" && !postgres:
		return nil, usagef("-engine %s: SQL in the dialect of PostgreSQL compares values otherwise; give -dialect mysql", c.eng)
	case c.dialect == "mysql" && postgres:
		return nil, usagef("-engine %s: with -dialect mysql the engines are mariadb, mariadb-off and mysql", c.eng)
	}
	for _, in := range slices.Concat(inputs, c.schemas) {
		if infile.Same(in, c.output) {
			return nil, usagef("-o %s: this is an input", c.output)
		}
	}
	return s, output.Check(c.output)
}

// initial gives the initial rows of a program that -init names.
func initial(name string, p *program) schedules.Init {
	switch name {
	case "any":
		return schedules.AnyRows
	case "empty":
		return schedules.NoRows
	case "file":
		return schedules.FileRows
	}
	if p.sql {
		return schedules.AnyRows
	}
	return schedules.FileRows
}
