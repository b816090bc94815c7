package main

import (
	"bytes"
	"context"
	"flag"

	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/instrument/boogie"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/schedules"
)

func instrumentCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	c := &common{}
	c.declare(fs)
	attacker := fs.String("attacker", "", "delay only this `transaction`")
	asBoogie := fs.Bool("boogie", false, "print it for the verifier Boogie")
	var rows int
	flags.Whole(fs, &rows, "rows", 3, 0, "with -boogie: different keys in a table, in one execution; 0 is any number")
	var initName string
	declareInit(fs, &initName, "with -boogie: initial `rows`: any, empty or file (default any for SQL, file for litmus)")
	return func(ctx context.Context, std streams, inputs []string) (int, error) {
		given := map[string]bool{}
		fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if !*asBoogie && given["rows"] {
			return 0, usagef("instrument: -rows goes with -boogie")
		}
		src, err := c.sources(ctx, inputs)
		if err != nil {
			return 0, err
		}
		programs, err := src.load(ctx, func(int, int, string) {})
		if err != nil {
			return 0, err
		}
		if len(programs) > 1 {
			return 0, usagef("instrument: there are several programs; name one application or one .litmus file")
		}
		p := programs[0]
		if e := p.engine(c.eng); e.Weaker != "" {
			return 0, usagef("-engine %s: %s", e.Name, e.Weaker)
		}
		if *attacker != "" && p.Txn(*attacker) == nil {
			return 0, usagef("-attacker: there is no transaction %s", *attacker)
		}
		q, err := instrument.Rewrite(p.Program, instrument.Options{Engine: p.engine(c.eng), Classic: c.classic, Attacker: *attacker})
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		if *asBoogie {
			text, err := boogie.Export(q, boogieOptions(p, rows, initName))
			if err != nil {
				return 0, err
			}
			out.WriteString(text)
			return exitOK, output.Write(std.out, std.err, c.output, &out)
		}
		out.WriteString(q.String())
		return exitOK, output.Write(std.out, std.err, c.output, &out)
	}
}

// boogieOptions bounds the rows, and says which of the tables of p begin with
// any rows, or with none.
func boogieOptions(p *program, rows int, initName string) boogie.Options {
	opt := boogie.Options{Rows: rows}
	switch initial(initName, p) {
	case schedules.AnyRows:
		for _, t := range p.Tables {
			opt.Any = append(opt.Any, t.Name)
		}
	case schedules.NoRows:
		for _, t := range p.Tables {
			if !t.Var {
				opt.Empty = append(opt.Empty, t.Name)
			}
		}
	}
	return opt
}
