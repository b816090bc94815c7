package sarif

import (
	"net/url"
	"path/filepath"
)

// InformationURI is where the program comes from.
const InformationURI = "https://github.com/txrobust/robust"

// NewLocation is a place in a file, or all of it where the line is 0.
func NewLocation(file string, line, col int) *Location {
	l := &Location{Physical: &PhysicalLocation{Artifact: artifact(file)}}
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
