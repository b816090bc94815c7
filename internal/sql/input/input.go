// Package input reads what the front ends for SQL have in common: the files.
package input

import (
	"context"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/migration"
)

// File is an input file: Name appears in positions.
type File struct{ Name, Text string }

// Reader gives r, or if that is nil one that allows the directories of the paths.
func Reader(r *infile.Reader, paths []string) (*infile.Reader, error) {
	if r == nil {
		return infile.NewReader(paths...)
	}
	return r, nil
}

// Read reads files and directories (see Directory) by r. A file of more
// than limit bytes is an error that ends with the advice; so is a directory
// without SQL. Errors name the file.
func Read(ctx context.Context, r *infile.Reader, paths []string, limit int64, advice string) ([]File, error) {
	var files []File
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list, err := named(r, p)
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			b, err := r.Read(ctx, name, limit, advice)
			if err != nil {
				return nil, err
			}
			files = append(files, File{name, string(b)})
		}
	}
	return files, nil
}

// Applied leaves out what undoes migrations: files that are named so beside those that they undo, and by blanks what a
// tool marks.
func Applied(files []File) []File {
	out := slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		return slices.ContainsFunc(files, func(o File) bool { return migration.Reverts(f.Name, o.Name) })
	})
	for i, f := range out {
		if tool := migration.ToolOf([]string{f.Text}); tool != nil {
			out[i].Text = tool.Apply(f.Text)
		}
	}
	return out
}

// Directory gives the SQL files in a directory, in the order in which they are read: by number where all have one,
// and else by name.
func Directory(dir string) ([]string, error) {
	list, err := infile.List(dir, ".sql")
	if !slices.ContainsFunc(list, func(name string) bool { return !migration.Numbered(name) && !migration.Undoes(name) }) {
		slices.SortFunc(list, migration.Compare)
	}
	return list, err
}

// named gives the files that a path names: itself, also where r has its text and there is no
// such file, or those in the directory.
func named(r *infile.Reader, path string) ([]string, error) {
	if _, known := r.Text(path); known {
		return []string{path}, nil
	}
	info, err := infile.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	list, err := Directory(path)
	if err == nil && len(list) == 0 {
		err = ir.Errorf(ir.Pos{File: path}, "%s", Empty(path))
	}
	return list, err
}

// Empty is the message about a directory without SQL.
func Empty(dir string) string {
	const none = "there is no .sql file in this directory; "
	if below := infile.Below(dir, ".sql"); len(below) > 0 {
		return none + "those below it are not searched: name them, or files of them, such as " + strings.Join(below, " ")
	}
	return none + "name the files to read"
}

// ProgramName is the name of the directory, or of the only file.
func ProgramName(files []File) string {
	name := files[0].Name
	if dir := filepath.Base(filepath.Dir(name)); len(files) > 1 && dir != "." && dir != string(filepath.Separator) {
		return dir
	}
	return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
}

// LoadedName is the name of a program whose files are on the disk: that of the only file, or of
// the directory that the first one is in, wherever that is.
func LoadedName(files []File) string {
	if dir, err := filepath.Abs(filepath.Dir(files[0].Name)); len(files) > 1 && err == nil && dir != filepath.Dir(dir) {
		return filepath.Base(dir)
	}
	return ProgramName(files)
}

// SortNotes orders notes by place, with the files in the order given.
func SortNotes(notes []ir.Note, files []File) {
	rank := map[string]int{}
	for i, f := range files {
		rank[f.Name] = i
	}
	sort.SliceStable(notes, func(i, j int) bool {
		a, b := notes[i].Pos, notes[j].Pos
		if a.File != b.File {
			return rank[a.File] < rank[b.File]
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
}

// Catch turns the panic of a front end that found a fault in its input, which
// is an *ir.Error, into an error. It must be deferred. What a message quotes of
// the input is bounded.
func Catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*ir.Error)
		if !ok {
			panic(r)
		}
		if n := len(e.Msg); n > maxMessage {
			short := *e
			short.Msg = strings.ToValidUTF8(e.Msg[:maxMessage*2/3], "") + " … " + strings.ToValidUTF8(e.Msg[n-maxMessage/3:], "")
			e = &short
		}
		*err = e
	}
}

// maxMessage bounds the bytes of a message, of which the end says what to do.
const maxMessage = 450
