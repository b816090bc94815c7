package page

import (
	"bytes"
	"strings"
	"testing"
)

// TestEscapes: texts, values of attributes and titles stay what they are, wherever they stand.
func TestEscapes(t *testing.T) {
	const evil = `"><script>alert('{{data}}')</script>&amp;`
	const escaped = `&#34;&gt;&lt;script&gt;alert(&#39;{{data}}&#39;)&lt;/script&gt;&amp;amp;`
	for _, tc := range []struct {
		name      string
		got, want HTML
	}{
		{"text", Text(evil), escaped},
		{"attribute", Element("p", Attrs{"id", evil}, Text("x")), `<p id="` + escaped + `">x</p>`},
		{"separator", Between("<", []HTML{"a", "b"}), "a&lt;b"},
		{"list", List([]string{evil, "b"}), "<ul><li>" + escaped + "</li><li>b</li></ul>"},
		{"nothing", When(false, func() HTML { return Break }), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.got, tc.want)
		}
	}
	var b bytes.Buffer
	if err := Write(&b, Page{Title: evil, Without: evil, Body: Text(evil), Data: []string{evil}, Connect: evil}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "<script>alert") {
		t.Errorf("the page has %d scripts, want 2: a text is one", n)
	}
	if n := strings.Count(page, escaped); n != 4 {
		t.Errorf("the text stands %d times on the page, want 4", n)
	}
}
