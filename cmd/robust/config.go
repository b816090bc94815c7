package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/config"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// configNone is the value of -config that reads no file.
const configNone = "none"

// inConfig are the flags that a configuration may have. Those that write, open connections,
// or allow files elsewhere to be read are for a command line alone.
var inConfig = strings.Fields(`autocommit baseline classic dialect engine explain fail-on first helpers init isolation level notes
	query-limit query-timeout questions read-committed schema search-path session-order strict timeout txn window`)

// pathsInConfig are those of them whose values are paths, relative to the folder of the file.
var pathsInConfig = []string{"baseline", "schema"}

// listsInConfig are those of them that take several values with commas between them.
var listsInConfig = []string{"search-path", "txn"}

// configFlag is the value of -config.
type configFlag struct {
	path string
	// typed are the flags of the command line.
	typed map[string]bool
}

func (c *configFlag) Set(path string) error { c.path = path; return nil }

func (c *configFlag) String() string { return c.path }

// configure sets the flags that the configuration has and the command line has not, and
// gives the path of what was read, or "".
func configure(ctx context.Context, fs *flag.FlagSet, inputs []string) (string, error) {
	own := fs.Lookup("config").Value.(*configFlag)
	given := setFlags(fs)
	own.typed = given
	path := own.path
	if path == configNone {
		return "", nil
	}
	var err error
	if path == "" {
		if path, err = configOf(inputs); path == "" || err != nil {
			return "", err
		}
	} else if _, err := infile.Stat(path); err != nil {
		return "", usagef("-config: %v", err)
	}
	f, err := config.Read(ctx, path)
	if err != nil {
		return "", err
	}
	for _, e := range f.Entries {
		if !slices.Contains(inConfig, e.Key) {
			return "", unknownKey(e)
		}
		if fs.Lookup(e.Key) == nil || given[e.Key] {
			continue
		}
		if err := setFlag(fs, f, e); err != nil {
			return "", err
		}
	}
	return path, nil
}

// setFlags gives the names of the flags that are set.
func setFlags(fs *flag.FlagSet) map[string]bool {
	out := map[string]bool{}
	fs.Visit(func(g *flag.Flag) { out[g.Name] = true })
	return out
}

// unknownKey says why a key is wrong.
func unknownKey(e config.Entry) error {
	known := flag.NewFlagSet("", flag.ContinueOnError)
	(&checkFlags{}).flags(known)
	if known.Lookup(e.Key) != nil {
		return ir.Errorf(e.Pos, "%s is a flag for command lines only", e.Key)
	}
	hint := "the keys are " + quote.And(inConfig)
	if near := flags.Nearest(e.Key, inConfig); near != "" {
		hint = "do you mean " + near + "?"
	}
	return ir.Errorf(e.Pos, "there is no key %s; %s", e.Key, hint)
}

// setFlag sets a flag to the values of an entry.
func setFlag(fs *flag.FlagSet, f *config.File, e config.Entry) error {
	values := slices.Clone(e.Values)
	list := slices.Contains(listsInConfig, e.Key)
	many := e.Key == "schema" || e.Key == "level"
	switch {
	case len(values) > 1 && !many && !list:
		return ir.Errorf(values[1].Pos, "%s has one value", e.Key)
	case len(values) == 0 && !many:
		return ir.Errorf(e.Pos, "%s has no value", e.Key)
	}
	for i, v := range values {
		switch {
		case v.Key != "" && e.Key != "level":
			return ir.Errorf(v.Pos, "%s has values, and no keys of its own", e.Key)
		case v.Key != "":
			values[i].Text = v.Key + "=" + v.Text
		case slices.Contains(pathsInConfig, e.Key):
			path, err := f.Inside(v)
			if err != nil {
				return err
			}
			values[i].Text = path
		}
	}
	if list {
		var all []string
		for _, v := range values {
			all = append(all, v.Text)
		}
		values = []config.Value{{Text: strings.Join(all, ","), Pos: values[0].Pos}}
	}
	for _, v := range values {
		if err := fs.Set(e.Key, v.Text); err != nil {
			return ir.Errorf(v.Pos, "%s %s: %s", e.Key, v.Text, flags.Reason(fs.Lookup(e.Key), err.Error()))
		}
	}
	return nil
}

// configOf finds the configuration of inputs. That of several inputs must be the same.
func configOf(inputs []string) (string, error) {
	first, of := "", ""
	for i, in := range inputs {
		path, err := config.Find(folderOfInput(in))
		switch {
		case err != nil:
			return "", err
		case i > 0 && !infile.Same(path, first):
			return "", usagef("%s has the configuration %s, and %s has %s; name one with -config, or none",
				of, cmp.Or(first, configNone), in, cmp.Or(path, configNone))
		}
		first, of = path, in
	}
	return first, nil
}

// folderOfInput is where the configuration of an input is looked for.
func folderOfInput(in string) string {
	if in == "-" {
		return "."
	}
	if dir, ok := strings.CutSuffix(in, "..."); ok {
		in = cmp.Or(strings.TrimSuffix(dir, "/"), ".")
	}
	info, err := infile.Stat(in)
	switch {
	case err != nil: // the path of a package, or a mistake that is found later
		return "."
	case info.IsDir():
		return in
	}
	return filepath.Dir(in)
}

// sayConfig says with -v which configuration was read.
func sayConfig(std streams, fs *flag.FlagSet, path string) {
	if v := fs.Lookup("v"); path != "" && v != nil && v.Value.String() == "true" {
		fmt.Fprintf(std.err, "robust: flags are read from %s\n", quote.Line(path))
	}
}
