package report

import (
	_ "embed"
	"io"

	"github.com/txrobust/robust/internal/quote"
)

// Schema is the JSON schema of a report.
//
//go:embed schema.json
var Schema string

// JSON writes a report as one object.
func JSON(w io.Writer, r *Report) error {
	text, err := quote.EncodeJSON(r, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
