package main

import (
	"bytes"
	"context"
	"flag"

	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/ir"
)

func instrumentCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	c := &common{}
	c.declare(fs)
	attacker := fs.String("attacker", "", "delay only this `transaction`")
	return func(ctx context.Context, std streams, inputs []string) (int, error) {
		src, err := c.sources(inputs)
		if err != nil {
			return 0, err
		}
		programs, err := src.load(ctx)
		if err != nil {
			return 0, err
		}
		if len(programs) > 1 {
			return 0, usagef("instrument: there are several programs; name one application or one .litmus file")
		}
		p := programs[0]
		if *attacker != "" && p.Txn(*attacker) == nil {
			return 0, usagef("-attacker: there is no transaction %s", *attacker)
		}
		q, err := instrument.Rewrite(p.Program, instrument.Options{Engine: p.engine(c.eng), Classic: c.classic, Attacker: *attacker})
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		if err := ir.Print(&out, q); err != nil {
			return 0, err
		}
		return exitOK, write(std, c.output, &out)
	}
}
