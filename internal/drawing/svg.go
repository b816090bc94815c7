package drawing

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// style has the colors: those of the types of edges, and red for what is on a cycle.
const style = `text{font:12px sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.soft{fill:#666}.name{font-weight:600}` +
	`rect{fill:#fff;stroke:#777}.cycle rect{stroke:#b01c1c;stroke-width:2}path{fill:none;stroke:#777}` +
	`.edge text{font-size:11px;stroke:#fff;stroke-width:3px;paint-order:stroke}.RW path{stroke:#9a4d00}.RW text{fill:#9a4d00}` +
	`.WR path{stroke:#1d4f91}.WR text{fill:#1d4f91}.WW path{stroke:#666}.vulnerable path{stroke-dasharray:6 4}` +
	`.edge.cycle path{stroke:#b01c1c;stroke-width:2.5}.edge.cycle text{fill:#b01c1c}`

// SVG writes the dependency graphs of reports, below each other, as one picture. Vulnerable edges
// are dashed, and those of findings, or else of open cycles, red. Large graphs are folded.
func SVG(w io.Writer, reports []*report.Report) error {
	var pictures []*picture
	width, height := 0.0, 0.0
	for _, r := range reports {
		p := layOut(Fold(r))
		pictures = append(pictures, p)
		width, height = max(width, p.w), height+p.h
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n<style>%s</style>\n", width, height, style)
	b.WriteString("<defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0 1 L9 5 L0 9\"/></marker></defs>\n")
	b.WriteString("<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" style=\"stroke:none\"/>\n")
	at := 0.0
	for _, p := range pictures {
		fmt.Fprintf(&b, "<g transform=\"translate(0 %.0f)\">\n", at)
		p.write(&b)
		b.WriteString("</g>\n")
		at += p.h
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a text that anything can stand in.
func text(s string) string { return html.EscapeString(quote.Line(s)) }

func (p *picture) write(b *strings.Builder) {
	fmt.Fprintf(b, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n<text class=\"soft\" x=\"%[1]d\" y=\"%[4]d\">%[5]s</text>\n", margin/2, margin-10, text(p.title), margin+8, text(p.below))
	for _, a := range p.arrows {
		class := "edge " + a.edge.Type
		if a.edge.Vulnerable {
			class += " vulnerable"
		}
		if a.edge.Cycle != "" {
			class += " cycle"
		}
		both := ""
		if a.edge.Type == "WW" {
			both = " marker-start=\"url(#head)\""
		}
		curve := map[int]string{1: "Q", 2: "C"}[len(a.control)]
		path := fmt.Sprintf("M%.1f %.1f %s", a.start.x, a.start.y, curve)
		for _, c := range append(slices.Clone(a.control), a.end) {
			path += fmt.Sprintf("%.1f %.1f ", c.x, c.y)
		}
		fmt.Fprintf(b, "<g class=\"%s\"><title>%s</title><path d=\"%s\" marker-end=\"url(#head)\"%s/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text></g>\n",
			text(class), lines(a.full), strings.TrimSpace(path), both, a.where.x, a.where.y, text(a.label))
	}
	for _, x := range p.boxes {
		class := "node"
		if x.cycle {
			class += " cycle"
		}
		left, top := x.at.x-x.w/2, x.at.y-x.h/2
		fmt.Fprintf(b, "<g class=\"%s\"><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" rx=\"6\"/>", class, text(x.full), left, top, x.w, x.h)
		for i, l := range x.lines {
			kind := "soft"
			if i == 0 {
				kind = "name"
			}
			fmt.Fprintf(b, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", kind, x.at.x, top+float64(line*(i+1)), text(l))
		}
		b.WriteString("</g>\n")
	}
}

// lines is a text of several lines.
func lines(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		out = append(out, text(l))
	}
	return strings.Join(out, "\n")
}
