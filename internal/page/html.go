package page

import (
	"html"
	"strings"
)

// HTML is a part of a page that can be written as it stands. Package html/template would keep every exported method
// of the program alive, which makes what a browser has to load a tenth larger.
type HTML string

// Text is a text, with what has a meaning in HTML escaped.
func Text(s string) HTML { return HTML(html.EscapeString(s)) }

// All puts parts one after the other.
func All(parts ...HTML) HTML { return Between("", parts) }

// Between puts parts one after the other, with a text between any two.
func Between(sep string, parts []HTML) HTML {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(html.EscapeString(sep))
		}
		b.WriteString(string(p))
	}
	return HTML(b.String())
}

// Each makes a part of each element of a list.
func Each[T any](list []T, part func(T) HTML) []HTML {
	out := make([]HTML, len(list))
	for i, x := range list {
		out[i] = part(x)
	}
	return out
}

// Attrs are the attributes of an element: names and values by turns.
type Attrs []string

// Element is an element with its content, which has an end tag.
func Element(name string, attrs Attrs, content ...HTML) HTML {
	var b strings.Builder
	b.WriteString("<" + name)
	for i := 0; i < len(attrs); i += 2 {
		b.WriteString(" " + attrs[i] + `="` + html.EscapeString(attrs[i+1]) + `"`)
	}
	b.WriteString(">")
	for _, c := range content {
		b.WriteString(string(c))
	}
	b.WriteString("</" + name + ">")
	return HTML(b.String())
}

// Break begins a new line.
const Break HTML = "<br>"

// List is a list with a text for each point.
func List(points []string) HTML {
	return Element("ul", nil, Each(points, func(s string) HTML { return Element("li", nil, Text(s)) })...)
}

// When is a part where a condition holds, and nothing where it does not.
func When(is bool, part func() HTML) HTML {
	if !is {
		return ""
	}
	return part()
}
