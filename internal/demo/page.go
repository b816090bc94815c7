package demo

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
)

// page is the head of a scene.md.
type page struct {
	title, summary string
	level          levels.Level
	stores         []string
	calls          []Call
}

// pageParser reads a scene.md line by line.
type pageParser struct {
	file     string
	page     page
	sections map[string]*string
	into     *string // the section that is being read
	head     bool    // only fields came so far
}

// parsePage reads a scene.md: a title, fields such as "Level: READ COMMITTED", and
// paragraphs, which go to the section of their heading, or to section "".
func parsePage(file, text string, sections map[string]*string) (page, error) {
	p := &pageParser{file: file, sections: sections, into: sections[""], head: true}
	for n, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if err := p.line(ir.Pos{File: file, Line: n + 1, Col: 1}, line); err != nil {
			return page{}, err
		}
	}
	if p.page.title == "" {
		return page{}, ir.Errorf(ir.Pos{File: file, Line: 1, Col: 1}, "the first line must be a title, such as # Write skew")
	}
	for _, s := range sections {
		*s = strings.TrimSpace(*s)
	}
	return p.page, nil
}

func (p *pageParser) line(at ir.Pos, line string) error {
	if p.page.title == "" {
		title, ok := strings.CutPrefix(line, "# ")
		if !ok {
			return ir.Errorf(at, "the first line must be a title, such as # Write skew")
		}
		p.page.title = strings.TrimSpace(title)
		return nil
	}
	if heading, ok := strings.CutPrefix(line, "## "); ok {
		p.head = false
		p.into = p.sections[strings.TrimSpace(heading)]
		if p.into == nil {
			return ir.Errorf(at, "there is no section %q in a scene; the sections are Why, Exercise and Solution", strings.TrimSpace(heading))
		}
		return nil
	}
	if name, value, ok := strings.Cut(line, ": "); ok && p.head {
		if known, err := p.field(at, name, strings.TrimSpace(value)); known || err != nil {
			return err
		}
	}
	p.head = p.head && strings.TrimSpace(line) == ""
	*p.into += line + "\n"
	return nil
}

// field reads a field; known is false for a line of the story.
func (p *pageParser) field(at ir.Pos, name, value string) (known bool, err error) {
	switch name {
	case "Summary":
		p.page.summary = value
	case "Level":
		l, err := levels.Parse(value)
		if err != nil {
			return false, ir.Errorf(at, "%v", err)
		}
		p.page.level = l
	case "Stores":
		p.page.stores = strings.Fields(value)
		for _, s := range p.page.stores {
			if levels.Model(s) == "" {
				return false, ir.Errorf(at, "there is no store %s; it must be psi, pc or cc", s)
			}
		}
	case "Session":
		c, err := parseCall(at, value)
		if err != nil {
			return false, err
		}
		p.page.calls = append(p.page.calls, c)
	default:
		if meant := fieldMeant(name); meant != "" {
			return false, ir.Errorf(at, "there is no field %s; do you mean %s?", name, meant)
		}
		return false, nil
	}
	return true, nil
}

// fieldMeant gives the field that a misspelt name is meant to be, "" if the name is no
// word like one.
func fieldMeant(name string) string {
	for _, field := range []string{"Summary", "Level", "Stores", "Session"} {
		if quote.Distance(strings.ToLower(name), strings.ToLower(field)) <= 2 {
			return field
		}
	}
	return ""
}

// parseCall reads a call such as deposit owner='Carol' amount=10.
func parseCall(at ir.Pos, text string) (Call, error) {
	name, rest, _ := strings.Cut(text, " ")
	c := Call{Pos: at, Transaction: name}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		arg, value, ok := strings.Cut(rest, "=")
		if !ok {
			return c, ir.Errorf(at, "%s must be a parameter with its value, such as amount=10 or owner='Carol'", rest)
		}
		v, after, ok := literal(value)
		if !ok {
			return c, ir.Errorf(at, "the value of %s must be a number, true, false, NULL, or a text such as 'Carol'", arg)
		}
		if slices.ContainsFunc(c.Args, func(a Arg) bool { return a.Name == arg }) {
			return c, ir.Errorf(at, "the parameter %s is given twice", arg)
		}
		c.Args = append(c.Args, Arg{arg, v})
		rest = after
	}
	return c, nil
}

// literal reads a constant of SQL at the beginning of a text.
func literal(s string) (v ir.Value, rest string, ok bool) {
	if quoted, is := strings.CutPrefix(s, "'"); is {
		text := ""
		for {
			part, after, closed := strings.Cut(quoted, "'")
			if !closed {
				return v, "", false
			}
			text += part
			if quoted, is = strings.CutPrefix(after, "'"); !is {
				return ir.Text(text), after, after == "" || after[0] == ' '
			}
			text += "'"
		}
	}
	word, rest, _ := strings.Cut(s, " ")
	switch strings.ToLower(word) {
	case "true", "false":
		return ir.Bool(strings.EqualFold(word, "true")), rest, true
	case "null":
		return ir.Null, rest, true
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return ir.Int(n), rest, true
	}
	if strings.Trim(word, "-.0123456789") != "" {
		return v, "", false
	}
	r, ok := new(big.Rat).SetString(word)
	if !ok {
		return v, "", false
	}
	return ir.Num(r), rest, true
}
