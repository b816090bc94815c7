package sarif

import (
	"net/url"
	"path/filepath"
)

// InformationURI is where the program comes from.
const InformationURI = "https://github.com/txrobust/robust"

// NewLocation is a place in a file, or all of it where the line is 0.
func NewLocation(file string, line, col int) *Location {
	l := &Location{ID: -1, Physical: &PhysicalLocation{Artifact: artifact(file)}}
	if line > 0 {
		l.Physical.Region = &Region{ByteOffset: -1, CharOffset: -1, StartLine: line, StartColumn: max(col, 0)}
	}
	return l
}

// artifact is a file: relative to where the program ran, as its name is.
func artifact(file string) *ArtifactLocation {
	path := filepath.ToSlash(filepath.Clean(file))
	if filepath.IsAbs(file) {
		return &ArtifactLocation{Index: -1, URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	return &ArtifactLocation{Index: -1, URI: (&url.URL{Path: path}).String(), URIBaseID: "%SRCROOT%"}
}
