package codec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/sniff"
	"github.com/txrobust/robust/internal/infile"
)

// Format names a format of recorded histories.
type Format string

// The formats. Guess stands for the one that the content shows.
const (
	Guess     Format = ""
	Plume     Format = "plume"
	AWDIT     Format = "awdit"
	Dbcop     Format = "dbcop"
	DbcopJSON Format = "dbcop-json"
	DbcopText Format = "dbcop-text"
	Cobra     Format = "cobra"
	Viper     Format = "viper"
	EDN       Format = "edn"
	ElleJSON  Format = "elle-json"
	JepsenLog Format = "jepsen-log"
	Chronos   Format = "chronos"
	Compact   Format = "compact"
	dbcopYAML Format = "dbcop-yaml"
)

// decoder reads the files of one history.
type decoder interface{ file(in *input) error }

// format is what is known about a format.
type format struct {
	name Format
	// what says it in words, aka are other names.
	what   string
	aka    []string
	binary bool
	// apart: one file per session, so that a history may have several.
	apart   bool
	decoder func(b *history.Builder) decoder
	// write is nil if histories cannot be written in this format.
	write func(w *writer) error
	// inside is the name of the one file in a directory of this format.
	inside string
}

func formats() []format {
	return []format{
		{name: Plume, what: "text of Plume (C4) and PolySI: w(key,value,session,txn) or r(…)", aka: []string{"polysi", "c4", "plume-text", "polysi-text"},
			decoder: func(b *history.Builder) decoder {
				return &plumeReader{b: b, sessions: map[int64]history.Session{}}
			}, write: writePlume},
		{name: AWDIT, what: "test format of AWDIT: r key value or w key value, ----- and =====", aka: []string{"awdit-test"},
			decoder: func(b *history.Builder) decoder { return &awditReader{b: b} }, write: writeAWDIT},
		{name: Dbcop, what: "binary format of dbcop, a folder with history.bincode", aka: []string{"bincode", "dbcop-bincode"}, binary: true, inside: "history.bincode",
			decoder: func(b *history.Builder) decoder { return &dbcopReader{b} }, write: writeDbcop},
		{name: DbcopJSON, what: "JSON of dbcop",
			decoder: func(b *history.Builder) decoder { return &dbcopJSONReader{b} }},
		{name: DbcopText, what: "text of dbcop: [x:=1 y==2 z==?]", aka: []string{"dbcop-dsl"},
			decoder: func(b *history.Builder) decoder { return &dbcopTextReader{b} }},
		{name: dbcopYAML, what: "YAML of dbcop, with the structure of its JSON", aka: []string{"yaml"},
			decoder: func(b *history.Builder) decoder { return &dbcopYAMLReader{b} }},
		{name: Cobra, what: "logs of Cobra, a folder of T<n>.log", aka: []string{"cobra-log"}, binary: true, apart: true,
			decoder: func(b *history.Builder) decoder { return &cobraReader{b} }, write: writeCobra},
		{name: Viper, what: "logs of Viper, a folder of J<n>.log", aka: []string{"viper-json", "viper-jsonl"}, apart: true,
			decoder: func(b *history.Builder) decoder { return &viperReader{b: b} }, write: writeViper},
		{name: EDN, what: "EDN of Jepsen and Elle", aka: []string{"jepsen", "elle", "jepsen-edn"}, inside: "history.edn",
			decoder: func(b *history.Builder) decoder { return &ednReader{b: b, j: newJepsen(b)} }, write: writeEDN},
		{name: ElleJSON, what: "the same as JSON, for elle-cli", aka: []string{"jepsen-json", "elle-cli", "json"},
			decoder: func(b *history.Builder) decoder { return &ednReader{b: b, j: newJepsen(b), json: true} }},
		{name: JepsenLog, what: "log lines of Jepsen: process, type, function, value, apart by tabs or blanks",
			decoder: func(b *history.Builder) decoder { return &logReader{ednReader{b: b, j: newJepsen(b)}} }},
		{name: Chronos, what: "JSON of Chronos, with stamps of the database",
			decoder: func(b *history.Builder) decoder { return &chronosReader{b: b} }},
		{name: Compact, what: "compact binary format of this program", aka: []string{"own", "robust"}, binary: true, inside: "history.rbh",
			decoder: func(b *history.Builder) decoder { return &compactReader{b: b} }, write: writeCompact},
	}
}

func (f Format) find() (format, bool) {
	for _, g := range formats() {
		if g.name == f || slices.Contains(g.aka, string(f)) {
			return g, true
		}
	}
	return format{}, false
}

// ParseFormat gives the format of a name. Some have several.
func ParseFormat(name string) (Format, error) {
	g, ok := Format(name).find()
	if !ok {
		return Guess, fmt.Errorf("there is no format %q; the formats are %s", name, strings.Join(Names(false), ", "))
	}
	return g.name, nil
}

// Names gives the names of the formats, or only of those that can be written.
func Names(write bool) []string {
	var names []string
	for _, g := range formats() {
		if !write || g.write != nil {
			names = append(names, string(g.name))
		}
	}
	return names
}

// Describe gives a line of words about a format.
func (f Format) Describe() string { g, _ := f.find(); return g.what }

// Writable tells whether histories can be written in the format.
func (f Format) Writable() bool { g, _ := f.find(); return g.write != nil }

// Folder tells whether a history of the format is a folder of files.
func (f Format) Folder() bool { g, _ := f.find(); return g.apart || f == Dbcop }

// Options say how to read.
type Options struct {
	// Format is that of the files, or Guess.
	Format Format
	// Strict takes values that are read but never written for values out of thin
	// air, also where the recording looks as if it had begun on loaded tables.
	Strict bool
	// Reordered: operations of Jepsen, and so their indices, may be in any order.
	Reordered bool

	// For tests: how many goroutines parse how many bytes at a time, if not 0; and
	// that nothing is parsed but by the parser for everything.
	workers, chunk int
	plain          bool
}

// Read reads one history: a file, a folder of files, or the files of the sessions
// of a format that has several. Files that are compressed with gzip are
// decompressed. Mistakes in the content are of type *Error.
func Read(ctx context.Context, paths []string, o Options) (*history.History, Format, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, o.Format, err
	}
	var streams []stream
	for _, f := range files {
		streams = append(streams, stream{f, func() (io.ReadCloser, error) { return infile.Open(f) }})
	}
	return decode(ctx, streams, o)
}

// Decode reads a history from one stream, which is called name in messages.
func Decode(ctx context.Context, r io.Reader, name string, o Options) (*history.History, Format, error) {
	return decode(ctx, []stream{{name, func() (io.ReadCloser, error) { return infile.Interruptible(ctx, r), nil }}}, o)
}

type stream struct {
	name string
	open func() (io.ReadCloser, error)
}

// opening is a stream of which the beginning was looked at.
type opening struct {
	name string
	r    io.Reader
	c    io.Closer
	head []byte
}

// headSize is how much of a file shows its format.
const headSize = 4096

func (s stream) start() (*opening, error) {
	c, err := s.open()
	if err != nil {
		return nil, err
	}
	r, err := plain(c)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		c.Close()
		return nil, err
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		c.Close()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	head = sniff.WithoutMark(head[:n])
	return &opening{s.name, io.MultiReader(bytes.NewReader(head), r), c, head}, nil
}

func decode(ctx context.Context, streams []stream, o Options) (*history.History, Format, error) {
	b := history.NewBuilder()
	var g format
	var d decoder
	if o.Format != Guess {
		var ok bool
		if g, ok = o.Format.find(); !ok {
			return nil, o.Format, fmt.Errorf("there is no format %q", o.Format)
		}
		d = g.decoder(b)
	}
	var empty []string // files before the first that shows the format
	for i, s := range streams {
		f, err := s.start()
		if err != nil {
			return nil, g.name, err
		}
		if d == nil {
			if len(f.head) == 0 && i+1 < len(streams) {
				f.c.Close()
				empty = append(empty, s.name)
				continue
			}
			name, err := guess(f)
			if err != nil {
				f.c.Close()
				return nil, Guess, err
			}
			g, _ = name.find()
			d = g.decoder(b)
		}
		if len(streams) > 1 && !g.apart {
			f.c.Close()
			return nil, g.name, fmt.Errorf("%s: a history in the format %s is one file; read the files one by one", s.name, g.name)
		}
		for _, e := range empty {
			b.File(history.File{Name: e, Binary: g.binary})
		}
		empty = nil
		if e, ok := d.(*ednReader); ok {
			e.j.reordered = o.Reordered
		}
		in := newInput(ctx, f.r, s.name, b.File(history.File{Name: s.name, Binary: g.binary}))
		in.configure(o)
		err = d.file(in)
		f.c.Close()
		if err == nil {
			err = in.err
		}
		if err != nil {
			return nil, g.name, err
		}
	}
	if v, ok := d.(*viperReader); ok && !o.Strict && !v.marked && !v.nulls {
		b.TakePreloaded()
	}
	if c, ok := d.(*chronosReader); ok && !o.Strict {
		c.takeZero()
	}
	h, err := b.Build()
	if err != nil {
		return nil, g.name, located(err, streams)
	}
	if h.NumTxns() == 1 && h.NumKeys() == 0 {
		return nil, g.name, nothing(g, streams)
	}
	return h, g.name, nil
}

// nothing is the error that no transaction is recorded: every level would hold.
func nothing(g format, streams []stream) error {
	name, what := streams[0].name, "the file has"
	if len(streams) > 1 {
		name, what = filepath.Dir(name), fmt.Sprintf("the %d files have", len(streams))
	}
	return fmt.Errorf("%s: %s no transaction, expected %s", name, what, g.what)
}

// located puts the name of the file before a message that has no place.
func located(err error, streams []stream) error {
	for _, s := range streams {
		if strings.HasPrefix(err.Error(), s.name) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", streams[0].name, err)
}

// expand gives the files that paths name, those of a folder in the order of the
// numbers in their names.
func expand(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := infile.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		var inside, logs []string
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			inside = append(inside, e.Name())
			if name := strings.TrimSuffix(e.Name(), ".gz"); strings.HasSuffix(name, ".log") {
				logs = append(logs, e.Name())
			}
		}
		chosen := inside
		if named := known(inside); named != "" {
			chosen = []string{named}
		} else if len(logs) > 0 {
			chosen = logs
		}
		if len(chosen) == 0 {
			return nil, fmt.Errorf("%s: the folder has no files; name one with a history", path)
		}
		if len(chosen) > 1 && len(logs) == 0 {
			return nil, fmt.Errorf("%s: the folder has %d files; name the one with the history", path, len(chosen))
		}
		slices.SortFunc(chosen, func(a, b string) int {
			n, m := fileNumber(a), fileNumber(b)
			return cmp.Or(cmp.Compare(n, m), cmp.Compare(a, b))
		})
		for _, name := range chosen {
			files = append(files, filepath.Join(path, name))
		}
	}
	return files, nil
}

// known gives the file of a folder that has the name that a format demands.
func known(names []string) string {
	for _, g := range formats() {
		for _, name := range []string{g.inside, g.inside + ".gz"} {
			if g.inside != "" && slices.Contains(names, name) {
				return name
			}
		}
	}
	return ""
}

// fileNumber is the first number in the name of a file, or -1.
func fileNumber(name string) int64 {
	digits := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.")
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(digits[:end], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// sessionOfFile is the name of the session whose file it is: the number of a
// file such as T3.log, or else what the file is called.
func sessionOfFile(path, letter string) history.Name {
	name := filepath.Base(strings.TrimSuffix(path, ".gz"))
	stem := strings.TrimSuffix(name, ".log")
	if digits, ok := strings.CutPrefix(stem, letter); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && strconv.FormatInt(n, 10) == digits {
			return history.Int(n)
		}
	}
	return history.String(name)
}

// guess tells the format from the beginning of a file.
func guess(f *opening) (Format, error) {
	name, err := sniff.Format(f.name, f.head)
	if err == nil {
		return Format(name), nil
	}
	if errors.Is(err, sniff.ErrUnknown) {
		return Guess, fmt.Errorf("%s:1:1: %w; name the format of the history, one of %s", f.name, err, strings.Join(Names(false), ", "))
	}
	return Guess, fmt.Errorf("%s:1:1: %w", f.name, err)
}
