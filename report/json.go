package report

import (
	_ "embed"
	"encoding/json"
	"io"
)

// Schema is the JSON schema of a report.
//
//go:embed schema.json
var Schema string

// JSON writes a report as one object.
func JSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
