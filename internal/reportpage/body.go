package reportpage

import (
	"strconv"

	"github.com/txrobust/robust/internal/page"
)

// body is what the page says without its script.
func (t *text) body() page.HTML {
	return page.Element("article", page.Attrs{"class", "program", "id", t.id("program")},
		t.header(),
		page.Element("section", page.Attrs{"class", "findings", "id", t.id("findings"), "hidden", ""}),
		t.Open.section(t.id("open")),
		t.Proof.section(t.id("proof")),
		page.When(t.Mapped, func() page.HTML {
			return page.Element("section", page.Attrs{"class", "map", "id", t.id("map")}, heading("Map: who depends on whom"))
		}),
		page.Element("section", page.Attrs{"id", t.id("transactions")}, heading("Transactions"), t.list()),
		page.When(len(t.Rest) > 0, func() page.HTML {
			return page.Element("section", page.Attrs{"id", t.id("rest")}, heading("What it rests on"),
				page.All(page.Each(t.Rest, func(s section) page.HTML { return page.All(smaller(s.Title), page.List(s.Lines)) })...))
		}))
}

// id is the name of a part.
func (t *text) id(part string) string { return part + "-" + strconv.Itoa(t.Number) }

func heading(s string) page.HTML { return page.Element("h2", nil, page.Text(s)) }

func smaller(s string) page.HTML { return page.Element("h3", nil, page.Text(s)) }

func paragraph(s string) page.HTML { return page.Element("p", nil, page.Text(s)) }

func soft(s string) page.HTML { return page.Element("span", page.Attrs{"class", "soft"}, page.Text(s)) }

// line is a paragraph, nothing for an empty text.
func line(class, s string) page.HTML {
	if s == "" {
		return ""
	}
	var attrs page.Attrs
	if class != "" {
		attrs = page.Attrs{"class", class}
	}
	return page.Element("p", attrs, page.Text(s))
}

func (t *text) header() page.HTML {
	link := func(is bool, part, text string) page.HTML {
		return page.When(is, func() page.HTML { return page.Element("a", page.Attrs{"href", "#" + t.id(part)}, page.Text(text)) })
	}
	return page.Element("header", nil,
		page.Element("h1", nil, page.Element("span", page.Attrs{"class", "verdict " + t.Verdict}, page.Text(t.Word)), page.Text(" "+t.Program)),
		page.Element("p", page.Attrs{"class", "answer"}, page.Text(t.Answer)),
		line("headline", t.Headline),
		page.Element("p", page.Attrs{"class", "soft"}, page.Text(t.Database)),
		page.Element("nav", page.Attrs{"aria-label", "parts of the page"},
			link(t.Findings > 0, "findings", "What happens"), link(t.Open != nil, "open", "What is open"), link(t.Proof != nil, "proof", "Why it is robust"),
			link(t.Mapped, "map", "Map"), link(true, "transactions", "Transactions"), link(len(t.Rest) > 0, "rest", "What it rests on")))
}

func (o *open) section(id string) page.HTML {
	if o == nil {
		return ""
	}
	titled := func(title string, points []string) page.HTML {
		return page.When(len(points) > 0, func() page.HTML { return page.All(paragraph(title), page.List(points)) })
	}
	walks := page.When(len(o.Walks) > 0, func() page.HTML {
		return page.All(paragraph("What was searched:"), page.Element("ul", nil, page.Each(o.Walks, func(w walk) page.HTML {
			example := page.When(w.Example != "", func() page.HTML { return page.All(page.Break, soft("for example: "+w.Example)) })
			return page.Element("li", nil, page.Text(w.Text), example)
		})...))
	})
	return page.Element("section", page.Attrs{"id", id}, heading("What is open"), paragraph(o.Reason), titled("The cycles:", o.Cycles), walks,
		titled("What may settle it (not tried):", o.Settle))
}

func (o *obligations) section(id string) page.HTML {
	if o == nil {
		return ""
	}
	pieces := page.When(len(o.Pieces) > 0, func() page.HTML {
		return page.All(smaller("What has to be impossible, and is"), grid("obligations", []string{"what is proved", "by", "with"}, page.Each(o.Pieces, func(p piece) page.HTML {
			needs := page.Text("what they do")
			if len(p.Needs) > 0 {
				needs = page.List(p.Needs)
			}
			return cells(page.All(page.Text(p.Text), page.Break, soft(p.Question)), page.Text(p.By), needs)
		})))
	})
	facts := page.When(len(o.Facts) > 0, func() page.HTML {
		return page.All(smaller("Facts that every transaction keeps"), grid("facts", []string{"fact", "is", "needed for", "kept by"}, page.Each(o.Facts, func(f fact) page.HTML {
			return cells(page.Text(f.Text), page.Text(f.Source), page.List(f.For), page.Text(f.Keeps))
		})))
	})
	never := page.When(len(o.Never) > 0, func() page.HTML {
		return page.All(smaller("These can be taken to run at one moment, that of their commit"), page.List(o.Never))
	})
	return page.Element("section", page.Attrs{"id", id}, heading("Why it is robust"), paragraph(o.Method), line("", o.Summary), never, pieces, facts)
}

// grid is a table with a heading for each column, which scrolls where it is wide.
func grid(class string, columns []string, rows []page.HTML) page.HTML {
	names := page.Each(columns, func(c string) page.HTML { return page.Element("th", nil, page.Text(c)) })
	return page.Element("div", page.Attrs{"class", "wide"}, page.Element("table", page.Attrs{"class", class},
		page.Element("thead", nil, page.Element("tr", nil, names...)),
		page.Element("tbody", nil, page.Each(rows, func(r page.HTML) page.HTML { return page.Element("tr", nil, r) })...)))
}

// cells are those of a row.
func cells(list ...page.HTML) page.HTML {
	return page.All(page.Each(list, func(c page.HTML) page.HTML { return page.Element("td", nil, c) })...)
}

// list is the table of transactions.
func (t *text) list() page.HTML {
	columns := []string{"transaction", "where", "standing", "reads", "writes"}
	if t.Levels {
		columns = []string{"transaction", "where", "level", "standing", "reads", "writes"}
	}
	return grid("transactions", columns, page.Each(t.Transactions, func(r row) page.HTML {
		level := page.When(t.Levels, func() page.HTML { return cells(page.Text(r.Level)) })
		return page.All(page.Element("th", page.Attrs{"scope", "row"}, page.Text(r.Name)), cells(page.Text(r.Place)), level, r.standing(), cells(page.Text(r.Reads), page.Text(r.Writes)))
	}))
}

// standing is the cell that says whether a transaction is safe, with the numbers of its findings.
func (r *row) standing() page.HTML {
	class := "unknown"
	switch {
	case r.Standing == "safe":
		class = "accept"
	case len(r.Findings) > 0:
		class = "reject"
	}
	content := page.Text(r.Standing)
	if len(r.Findings) > 0 {
		content += " " + page.Between(", ", page.Each(r.Findings, func(n int) page.HTML { return page.Text(strconv.Itoa(n)) }))
	}
	if r.Why != "" {
		content += page.All(page.Break, soft(r.Why))
	}
	return page.Element("td", page.Attrs{"class", class}, content)
}
