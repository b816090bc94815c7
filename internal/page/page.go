package page

import (
	_ "embed"
	"encoding/json"
	"html"
	"io"
	"regexp"
	"strings"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page is what a page has of its own.
type Page struct {
	Title string
	Body  HTML
	// Style and Script come after those that are shared. Script draws Data.
	Style, Script string
	Data          any
	// Without says what somebody without JavaScript can do.
	Without string
	// Scripts and Connect are what a page that is more than one file may run and ask, as a
	// Content-Security-Policy has it.
	Scripts, Connect string
}

// policy is what the page may do. A page of one file reaches nothing.
func (p *Page) policy() string {
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'unsafe-inline'"
	if p.Scripts != "" {
		policy += " " + p.Scripts
	}
	if p.Connect != "" {
		policy += "; connect-src " + p.Connect
	}
	return policy
}

// indent is what the lines of scripts and styles begin with.
var indent = regexp.MustCompile(`(?m)^[ \t]+`)

// Write writes the page. Texts and data can hold anything.
func Write(w io.Writer, p Page) error {
	data, err := json.Marshal(p.Data) // with < as \u003c, so that it can stand in a script
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title), "{{policy}}", html.EscapeString(p.policy()), "{{without}}", html.EscapeString(p.Without),
		"{{body}}", string(p.Body), "{{data}}", string(data),
		"{{style}}", indent.ReplaceAllString(style+p.Style, ""),
		"{{script}}", indent.ReplaceAllString("'use strict';\n"+script+p.Script, ""),
	).WriteString(w, frame)
	return err
}
