package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/quote"
)

// Stage is where a scene is played.
type Stage struct {
	Out io.Writer
	// Colors says that Out is a terminal that shows colors.
	Colors bool
	// Width is that of the terminal in columns: 100 and more have room for two panes of a
	// server. 0 is 80.
	Width int
	// Pause, if not nil, waits between two steps.
	Pause func(ctx context.Context) error
	// Ask, if not nil, asks a question that is answered by yes or no: -quiz. ok is false
	// where nobody answers.
	Ask func(ctx context.Context, question string) (yes, ok bool, err error)
}

// teller writes to a stage.
type teller struct {
	Stage
	ctx context.Context
	err error // the first one of Out, Pause or Ask
	// asked and right count the questions that were answered.
	asked, right int
}

// print writes a line in a color.
func (t *teller) print(c ansi.Color, format string, args ...any) {
	if t.err != nil {
		return
	}
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if t.Colors {
		line = c.Paint(line)
	}
	_, t.err = io.WriteString(t.Out, line+"\n")
}

// para writes a paragraph: first starts its first line, and as many spaces the others.
func (t *teller) para(c ansi.Color, first, s string) {
	for _, l := range quote.Wrap(clean(strings.Join(strings.Fields(s), " ")), width-quote.Columns(first)) {
		t.print(c, "%s%s", first, l)
		first = strings.Repeat(" ", quote.Columns(first))
	}
}

// prose writes paragraphs of Markdown, each filled anew.
func (t *teller) prose(s string) {
	for i, p := range strings.Split(s, "\n\n") {
		if i > 0 {
			t.print("", "")
		}
		t.para("", "", p)
	}
}

// heading writes a heading, after an empty line.
func (t *teller) heading(s string) {
	t.print("", "")
	t.print(ansi.Bold, "%s", clean(s))
	t.print(ansi.Bold, "%s", strings.Repeat("-", min(width, quote.Columns(s))))
}

// listing writes the text of a file.
func (t *teller) listing(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		t.print("", "    %s", clean(l))
	}
}

// pause waits for the audience.
func (t *teller) pause() {
	if t.err == nil && t.Pause != nil {
		t.err = t.Pause(t.ctx)
	}
}

// ask asks a question, and then tells the answer and the reason for it.
func (t *teller) ask(question string, answer bool, why string) {
	if t.err != nil || t.Ask == nil {
		return
	}
	yes, ok, err := t.Ask(t.ctx, question)
	if t.err = err; err != nil {
		return
	}
	word := map[bool]string{true: "Yes", false: "No"}[answer]
	switch {
	case !ok:
		t.para(ansi.Bold, "", word+". "+why)
	case yes == answer:
		t.asked, t.right = t.asked+1, t.right+1
		t.para(ansi.Green, "", "Right: "+strings.ToLower(word)+". "+why)
	default:
		t.asked++
		t.para(ansi.Red, "", "No, the answer is "+strings.ToLower(word)+". "+why)
	}
}

// score ends a quiz.
func (t *teller) score() {
	if t.asked > 0 {
		t.print("", "")
		t.print(ansi.Bold, "%d of %d answers were right.", t.right, t.asked)
	}
}
