package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/terminal"
)

// keep writes the proof of a program to the folder dir.
func (f *checkFlags) keep(std streams, p *program, dir string) error {
	if p.proof == nil {
		fmt.Fprintf(std.err, "robust: there is no proof of %s to write to %s: it is not proved by questions to the solver\n", quote.Line(p.Name), quote.Line(dir))
		return nil
	}
	f.sign(p, &p.proof.Manifest)
	return p.proof.Write(dir)
}

// sign adds to the manifest of a proof what it is about: who made it, of which
// files, and what was asked for.
func (f *checkFlags) sign(p *program, m *proof.Manifest) {
	m.MadeBy = release()
	for _, path := range p.read {
		text, _ := p.disk.Text(path)
		m.Inputs = append(m.Inputs, proof.Digest(path, text))
	}
	m.Command = proof.Command{Flags: f.claimFlags(p), Inputs: []string{}}
	for _, in := range p.inputs {
		if !slices.Contains(m.Command.Inputs, in) {
			m.Command.Inputs = append(m.Command.Inputs, in)
		}
	}
}

// silent are the flags of check that do not decide what a proof claims: those for
// effort, for output, and for where files may be, and -level, with which there is no proof.
// All others are part of a proof.
var silent = strings.Fields(`allow-include baseline bundle cache color config explain fail-on format helpers level notes o proof query-limit query-timeout
	questions read-committed replay since timeout v window witness`)

// claimFlags gives the flags that shape the claim about a program as -name=value,
// sorted, defaults included, and each in one way only.
func (f *checkFlags) claimFlags(p *program) []string {
	settled := map[string]string{"engine": p.engine(f.eng).Name, "init": check.InitName(f.initOf(p)), "dialect": "postgres",
		"isolation": levels.AtSnapshot, "autocommit": "true", "session-order": strconv.FormatBool(f.sessionOrder || len(p.Processes) > 0)}
	if p.mysql {
		settled["dialect"] = "mysql"
	}
	if p.golang != nil {
		settled["autocommit"] = strconv.FormatBool(f.autocommit)
	}
	var out []string
	f.given.VisitAll(func(g *flag.Flag) {
		value, is := settled[g.Name]
		switch list, many := g.Value.(*paths); {
		case slices.Contains(silent, g.Name), g.Name == "search-path" && f.searchPath == nil: // the files say it
		case many:
			for _, v := range *list {
				out = append(out, "-"+g.Name+"="+v)
			}
		case is:
			out = append(out, "-"+g.Name+"="+value)
		default:
			out = append(out, "-"+g.Name+"="+g.Value.String())
		}
	})
	return out
}

type verifyFlags struct {
	z3, sources string
	allowed     paths
	timeout     time.Duration
	alone       bool
}

func verifyCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &verifyFlags{}
	fs.StringVar(&f.z3, "z3", "", "the `program` z3 (default: the one on the PATH)")
	flags.Time(fs, &f.timeout, "timeout", time.Minute, 1, "time for each script")
	fs.StringVar(&f.sources, "sources", "", "`DIR` that the paths of the inputs start from (default: the current one)")
	fs.Var(&f.allowed, "allow-include", "`DIR` that includes and symbolic links of the inputs may lead to, besides their directories (repeatable)")
	fs.BoolVar(&f.alone, "alone", false, "believe what only the sources show, without them")
	return f.run
}

func (f *verifyFlags) run(ctx context.Context, std streams, dirs []string) (int, error) {
	if f.timeout < time.Second {
		return 0, usagef("-timeout %v: z3 counts in seconds", f.timeout)
	}
	if f.alone && f.sources != "" {
		return 0, usagef("-alone leaves the sources out, and -sources says where they are")
	}
	for i, dir := range f.allowed { // they do not start from -sources
		abs, err := filepath.Abs(dir)
		if err != nil {
			return 0, err
		}
		f.allowed[i] = abs
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return 0, usagef("%s: this is no folder; name one that robust check -proof wrote", dir)
		}
	}
	code := exitOK
	for _, dir := range dirs {
		ok, err := f.one(ctx, std, dir)
		if err != nil {
			return 0, err
		}
		if !ok {
			code = exitFault
		}
	}
	return code, nil
}

func (f *verifyFlags) one(ctx context.Context, std streams, dir string) (bool, error) {
	show, end := terminal.Progress(std.err)
	defer end()
	opt := proof.VerifyOptions{Z3: f.z3, Timeout: f.timeout, Progress: show}
	beside := []string{} // files that are no part of the program
	if !f.alone {
		opt.Anew = func(ctx context.Context, m *proof.Manifest, o *proof.Outline) (p *proof.Proof, err error) {
			p, beside, err = f.anew(ctx, m, o)
			return p, err
		}
	}
	v, err := proof.Verify(ctx, dir, opt)
	end()
	if err != nil {
		return false, err
	}
	for _, fault := range v.Faults {
		fmt.Fprintln(std.err, oneLine(filepath.Join(dir, fault)))
	}
	if len(v.Faults) > 0 {
		return false, nil
	}
	for _, what := range v.Unchecked {
		why := "the sources are not there; say where with -sources, or believe it with -alone"
		if f.alone {
			why = "believed, because of -alone"
		}
		fmt.Fprintln(std.err, oneLine(fmt.Sprintf("%s: not checked: %s (%s)", dir, what, why)))
	}
	if len(v.Unchecked) > 0 && !f.alone {
		return false, nil
	}
	return true, verified(std.out, dir, v, beside)
}

// verified says what was verified, of what, and under which assumptions.
func verified(w io.Writer, dir string, v *proof.Verification, beside []string) error {
	m := v.Manifest
	what := fmt.Sprintf("%d pieces of walks are impossible, no walk is left", len(m.Refuted))
	if m.Argument != proof.ByGraph {
		what = m.Method
	}
	from := "everything was made anew from the sources"
	if !v.FromSources {
		from = "without the sources"
	}
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(quote.Line(fmt.Sprintf(format, args...)) + "\n") }
	line("%s: the proof that %s is robust is verified: %s; %d scripts unsat by z3; %s", dir, m.Program, what, v.Scripts, from)
	line("  claim: %s", m.Claim)
	line("  isolation: %s; engine: %s; initial rows: %s", m.Isolation, m.Engine, m.Init)
	line("  flags: %s", strings.Join(m.Command.Flags, " "))
	line("  transactions: %s", strings.Join(m.Transactions, ", "))
	for _, in := range m.Inputs {
		line("  input: %s  %s", in.SHA256, in.Path)
	}
	for _, path := range beside {
		line("  not an input: %s, which is beside the inputs", path)
	}
	for _, a := range m.Assumptions {
		line("  assumed: %s", a)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// anew makes a proof anew from the files that check would read now, and lists
// files of SQL beside those that were named, which are no part of it.
func (f *verifyFlags) anew(ctx context.Context, m *proof.Manifest, o *proof.Outline) (*proof.Proof, []string, error) {
	if f.sources != "" {
		// The paths of the inputs start there, as they did where check ran.
		back, err := os.Getwd()
		if err != nil {
			return nil, nil, err
		}
		if err := os.Chdir(f.sources); err != nil {
			return nil, nil, err
		}
		defer os.Chdir(back)
	}
	if err := unchanged(ctx, m.Inputs); err != nil {
		return nil, nil, err
	}
	claim := &checkFlags{}
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	claim.flags(fs)
	for _, given := range m.Command.Flags {
		name, value, ok := strings.Cut(strings.TrimPrefix(given, "-"), "=")
		if !ok || fs.Lookup(name) == nil || slices.Contains(silent, name) {
			return nil, nil, fmt.Errorf("command.flags: %q is no flag of a claim", given)
		}
		if err := fs.Set(name, value); err != nil {
			return nil, nil, fmt.Errorf("command.flags: %q: %w", given, err)
		}
	}
	claim.allowed = f.allowed
	p, err := claim.again(ctx, m.Command.Inputs)
	if err != nil {
		return nil, nil, fmt.Errorf("the sources: %w", err)
	}
	out, err := check.Remake(ctx, p.Program, claim.options(p), o)
	if err != nil {
		return nil, nil, err
	}
	claim.sign(p, &out.Manifest)
	return out, siblings(p), nil
}

// unchanged reports an error unless the inputs are as they were; it is
// fs.ErrNotExist where one of them is not there.
func unchanged(ctx context.Context, inputs []proof.Input) error {
	if len(inputs) == 0 {
		return errors.New("the proof is of no file")
	}
	for _, in := range inputs {
		text, err := infile.Read(ctx, in.Path, maxInput, "no input is as large")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return err
		case err != nil:
			return fmt.Errorf("the input %w", err)
		case proof.Digest(in.Path, text) != in:
			return fmt.Errorf("the input %s is not the file that was proved: its SHA-256 is another", in.Path)
		}
	}
	return nil
}

// maxInput bounds the bytes of an input of a proof.
const maxInput = 1 << 30

// again reads the one program of a proof.
func (f *checkFlags) again(ctx context.Context, inputs []string) (*program, error) {
	if err := f.checkLevels(); err != nil {
		return nil, err
	}
	for _, in := range inputs {
		if strings.HasPrefix(in, "-") {
			return nil, fmt.Errorf("%q is no input", in)
		}
	}
	src, err := f.reading(ctx, inputs)
	if err != nil {
		return nil, err
	}
	src.notes = false
	programs, err := src.load(ctx, func(int, int, string) {})
	if err != nil {
		return nil, err
	}
	if len(programs) != 1 {
		return nil, errors.New("the inputs must be those of one program, but are of several")
	}
	return programs[0], nil
}

// siblings gives the files of SQL in the directories of inputs that are none.
func siblings(p *program) []string {
	var out []string
	seen := map[string]bool{}
	for _, path := range p.read {
		dir := filepath.Dir(path)
		if seen[dir] || filepath.Ext(path) != ".sql" {
			continue
		}
		seen[dir] = true
		list, err := infile.List(dir, ".sql")
		if err != nil {
			continue // check does not read it either
		}
		for _, other := range list {
			if !slices.Contains(p.read, other) {
				out = append(out, other)
			}
		}
	}
	return out
}
