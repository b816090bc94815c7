package demo

import (
	"context"
	"io"
	"path"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/reportpage"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/report"
)

// WritePage writes the page of robust check about scenes and each of their changes. What it
// shows of a scene is an execution that the check found, from other rows, perhaps, than those
// of the scene.
func WritePage(ctx context.Context, w io.Writer, scenes []*Scene) error {
	var reports []*report.Report
	texts := map[string]string{}
	source := func(file string) (string, bool) { text, ok := texts[file]; return text, ok }
	for _, s := range scenes {
		original := Change{Title: s.Name, Level: s.Level, Files: s.Files}
		for _, c := range slices.Concat([]Change{original}, s.Changes) {
			files := slices.Clone(c.Files)
			for i, f := range files { // the scene and its changes have files of the same names
				files[i] = input.File{Name: path.Join(s.Name, c.Name, f.Name), Text: f.Text}
				texts[files[i].Name] = f.Text
			}
			title := s.Name
			if c.Name != "" {
				title += ": " + c.Title
			}
			p, err := load(title, files)
			if err != nil {
				return err
			}
			rep, err := check.Check(ctx, p, check.Options{Engine: engine.Postgres(), Isolation: isolations[c.Level], Explain: true, Graph: true, Sources: source})
			if err != nil {
				return err
			}
			reports = append(reports, rep)
		}
	}
	return reportpage.Write(w, reports, source)
}
