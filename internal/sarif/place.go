package sarif

import (
	"net/url"
	"path/filepath"
)

// InformationURI is where the program comes from.
const InformationURI = "https://github.com/txrobust/robust"

// NewLocation is a place in a file, or all of it where the line is 0.
func NewLocation(file string, line, col int) *Location {
	l := &Location{Physical: &PhysicalLocation{file: file, Artifact: artifact(file)}}
	if line > 0 {
		l.Physical.Region = &Region{StartLine: line, StartColumn: max(col, 0)}
	}
	return l
}

// artifact is a file: relative to where the program ran, as its name is.
func artifact(file string) *ArtifactLocation {
	path := filepath.ToSlash(filepath.Clean(file))
	if filepath.IsAbs(file) {
		return &ArtifactLocation{URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	return &ArtifactLocation{URI: (&url.URL{Path: path}).String(), URIBaseID: "%SRCROOT%"}
}

// Recount replaces the columns of all places by what column gives for them, 0 for a column that is
// not known.
func (l *Log) Recount(column func(file string, line, col int) int) {
	place := func(at *Location) {
		if p := at.Physical; p != nil && p.Region != nil && p.Region.StartColumn > 0 {
			p.Region.StartColumn = column(p.file, p.Region.StartLine, p.Region.StartColumn)
		}
	}
	places := func(list []*Location) {
		for _, at := range list {
			place(at)
		}
	}
	for _, run := range l.Runs {
		for _, res := range run.Results {
			places(res.Locations)
			places(res.RelatedLocations)
			for _, flow := range res.CodeFlows {
				for _, thread := range flow.ThreadFlows {
					for _, step := range thread.Locations {
						place(step.Location)
					}
				}
			}
		}
		for _, call := range run.Invocations {
			for _, n := range call.Notifications {
				places(n.Locations)
			}
		}
	}
}
