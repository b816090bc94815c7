package std

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// New models functions of the standard library, and of small ones that have nothing to
// do with a database: texts, errors, contexts, and what only writes messages.
func New(*program.Program) *session.Library {
	l := &session.Library{
		Names: program.Names{
			// Mocks that record calls are in no program that has a database.
			Reading: []string{"strings"},
			Idle: []string{"log", "log/slog", "github.com/sirupsen/logrus", "go.uber.org/zap", "github.com/rs/zerolog", "github.com/rs/zerolog/log",
				"github.com/go-kit/log", "github.com/prometheus/client_golang/prometheus", "runtime/debug", "testing", "go.opentelemetry.io/otel/trace",
				"github.com/golang/glog", "k8s.io/klog/v2", "github.com/stretchr/testify/mock"},
			Holding: []string{"github.com/prometheus", "go.opentelemetry.io", "github.com/XSAM/otelsql", "github.com/dlmiddlecote/sqlstats", "github.com/exaring/otelpgx",
				"github.com/DATA-DOG/go-sqlmock", "github.com/pashagolub/pgxmock", "github.com/stretchr/testify", "github.com/heptiolabs/healthcheck",
				"github.com/hellofresh/health-go", "github.com/alexliesenfeld/health", "go.uber.org", "google.golang.org", "github.com/google/wire", "gorm.io",
				// frameworks of servers, and what wires a program: they keep it for the program
				"github.com/gin-gonic", "github.com/labstack", "github.com/gofiber", "github.com/go-chi", "github.com/gorilla", "github.com/julienschmidt/httprouter",
				"github.com/spf13", "github.com/urfave", "github.com/robfig/cron", "github.com/samber/do", "github.com/samber/lo", "github.com/go-playground/validator"},
			Constructors: []string{"regexp.MustCompile", "strings.NewReplacer"},
		},
		Functions: map[string]session.CallModel{},
	}
	for _, f := range []struct {
		m     session.CallModel
		names []string
	}{
		{newError, []string{"errors.New", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf"}},
		{wrapped, []string{"github.com/pkg/errors.Wrap", "github.com/pkg/errors.Wrapf", "github.com/pkg/errors.WithStack", "fmt.Errorf", "errors.Join"}},
		{isError, []string{"errors.Is", "github.com/pkg/errors.Is"}},
		{sprintf, []string{"fmt.Sprintf"}},
		{join, []string{"strings.Join"}},
		{replaced, []string{"strings.ReplaceAll", "strings.Replace"}},
		{newPattern, []string{"regexp.MustCompile"}},
		{newReplacer, []string{"strings.NewReplacer"}},
		{rewritten, []string{"(*regexp.Regexp).ReplaceAllString", "(*regexp.Regexp).ReplaceAllLiteralString", "(*strings.Replacer).Replace"}},
		{builder, []string{"(*strings.Builder).WriteString", "(*strings.Builder).WriteByte", "(*strings.Builder).WriteRune", "(*strings.Builder).String",
			"(*strings.Builder).Len", "(*strings.Builder).Reset", "(*bytes.Buffer).WriteString", "(*bytes.Buffer).WriteByte",
			"(*bytes.Buffer).WriteRune", "(*bytes.Buffer).String", "fmt.Fprintf"}},
		{newBuffer, []string{"bytes.NewBufferString"}},
		{ofTexts, []string{"strconv.Itoa", "strconv.FormatInt", "strconv.Quote", "strings.ToLower", "strings.ToUpper", "strings.TrimSpace", "strings.Trim",
			"strings.TrimPrefix", "strings.TrimSuffix", "strings.Repeat", "strings.Contains", "strings.HasPrefix", "strings.HasSuffix",
			"strings.EqualFold"}},
		{session.Computes, []string{"strings.Title", "(time.Time).Add", "(time.Time).AddDate", "(time.Time).Sub", "(time.Time).Truncate",
			"(time.Time).Round", "(time.Time).Before", "(time.Time).After", "(time.Time).Equal", "(time.Time).IsZero", "(time.Time).Unix",
			"(time.Time).UnixNano", "(time.Time).Format", "time.Unix", "math.Abs", "math.Min", "math.Max", "math.Round", "math.Floor",
			"math.Ceil"}},
		{session.GivesLast, []string{"github.com/google/uuid.Must", "(time.Time).UTC", "(time.Time).Local"}},
		{fresh, []string{"github.com/google/uuid.New", "github.com/google/uuid.NewString", "github.com/google/uuid.NewRandom",
			"github.com/google/uuid.NewV7", "github.com/gofrs/uuid.NewV4", "github.com/gofrs/uuid/v5.NewV4"}},
		{session.GivesAny, []string{"time.Now"}},
		{elapsed, []string{"time.Since", "time.Until"}},
		{noContext, []string{"context.Background", "context.TODO"}},
		{withValue, []string{"context.WithValue"}},
		{withEnd, []string{"context.WithCancel", "context.WithCancelCause", "context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline",
			"context.WithDeadlineCause", "os/signal.NotifyContext"}},
		{withContext, []string{"(*net/http.Request).WithContext", "(*net/http.Request).Clone"}},
		{contextOf, []string{"(*net/http.Request).Context"}},
		{lasting, []string{"context.WithoutCancel"}},
		{valueOf, []string{"(context.Context).Value"}},
		{session.GivesAny, []string{"(*strings.Builder).Grow", "time.Sleep", "(*sync.Mutex).Lock", "(*sync.Mutex).Unlock", "(*sync.RWMutex).Lock",
			"(*sync.RWMutex).Unlock", "(*sync.RWMutex).RLock", "(*sync.RWMutex).RUnlock"}},
		{exit, []string{"os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf"}},
	} {
		for _, name := range f.names {
			l.Functions[name] = f.m
		}
	}
	return l
}

func newError(in *session.Session, _ *session.Invocation) (memory.Value, bool) {
	return in.NewError(), true
}

func wrapped(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return in.Wrapped(inv.Name, inv.Args), true
}

func isError(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	f, ok := memory.Unbox(inv.Args[0]).(*memory.Failure)
	g, also := memory.Unbox(inv.Args[1]).(*memory.Failure)
	if !ok || !also {
		return nil, false
	}
	return memory.Of(in.IsError(f, g), client.Bool), true
}

func sprintf(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	format, ok := memory.ConstOf(inv.Args[0])
	list, known := in.ListOf(inv.Args[1])
	if !ok || !known {
		return nil, false
	}
	return memory.Of(in.Sprintf(format.S, list), client.Text), true
}

func join(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	list, known := in.ListOf(inv.Args[0])
	sep, ok := memory.ConstOf(inv.Args[1])
	if !known || !ok {
		return nil, false
	}
	out := client.Expr(client.C(ir.Text("")))
	for i, v := range list {
		if i > 0 {
			out = memory.Concat(out, client.C(sep))
		}
		out = memory.Concat(out, in.ScalarOf(v).E)
	}
	return memory.Of(out, client.Text), true
}

// fresh models a function that gives a value that was never used before.
func fresh(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return in.FreshValue(inv.T), true
}

func noContext(*session.Session, *session.Invocation) (memory.Value, bool) {
	return &memory.ContextValue{}, true
}

func withValue(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	in.Keeps(inv.Args[1], inv.Args[2])
	return &memory.ContextValue{Parent: inv.Args[0], Key: inv.Args[1], V: inv.Args[2]}, true
}

// withEnd models a function that gives a context which may end before its parent, and a function that
// ends it.
func withEnd(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return in.Answer(inv.T, &memory.ContextValue{Parent: inv.Args[0], Ends: true}), true
}

// withContext gives a request with a context, which stands for the request: nothing else is known of it.
func withContext(_ *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return &memory.ContextValue{Parent: inv.Args[1]}, true
}

// contextOf gives the context of a request that withContext made.
func contextOf(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	c, ok := memory.Unbox(inv.Args[0]).(*memory.ContextValue)
	if p, isPointer := memory.Unbox(inv.Args[0]).(*memory.Pointer); isPointer && p.To.Start == memory.Given && in.Trace != nil {
		return &memory.ContextValue{Parent: in.Fresh(inv.T, "ctx", memory.Given)}, true
	}
	if !ok {
		return nil, false
	}
	if c.Parent == nil {
		return c, true
	}
	return c.Parent, true
}

// elapsed gives a duration that depends on the arguments and on the time.
func elapsed(in *session.Session, inv *session.Invocation) (v memory.Value, ok bool) {
	memory.Computed(in.Memory, inv.Args, nil, func() { v, ok = session.GivesAny(in, inv) })
	return v, ok
}

func lasting(_ *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return &memory.ContextValue{Parent: inv.Args[0], Lasts: true}, true
}

func valueOf(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	v := in.LookInContext(inv.Args[0], inv.Args[1], inv.T)
	if in.NotGiven(v, inv.Args[0], inv.Args[1]) {
		return memory.Scalar{E: client.C(ir.Null), Kind: client.Any}, true
	}
	return v, true
}

// exit models a function that never returns.
func exit(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	in.Abort()
	return in.QuietDead(inv.T), true
}

// replaced is strings.Replace or ReplaceAll in a constant: what is put in need not be
// known.
func replaced(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	s, ok := memory.ConstText(inv.Args[0])
	old, also := memory.ConstText(inv.Args[1])
	n := int64(-1)
	if len(inv.Args) == 4 {
		c, known := memory.ConstOf(inv.Args[3])
		also = also && known && c.Kind == ir.KindInt
		n = c.I
	}
	if !ok || !also || old == "" {
		return memory.Of(&client.Call{Name: "strings.Replace", Args: in.Exprs(inv.Args), Kind: client.Text}, client.Text), true
	}
	with := in.ScalarOf(inv.Args[2]).E
	out := client.Expr(client.C(ir.Text("")))
	for ; n != 0; n-- {
		before, after, found := strings.Cut(s, old)
		if !found {
			break
		}
		out = memory.Concat(memory.Concat(out, client.C(ir.Text(before))), with)
		s = after
	}
	return memory.Of(memory.Concat(out, client.C(ir.Text(s))), client.Text), true
}

// newBuffer is bytes.NewBufferString.
func newBuffer(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	to := in.NewCell(inv.T.Underlying().(*types.Pointer).Elem(), "buffer", memory.Zeroed)
	in.Store(to, memory.Of(in.ScalarOf(inv.Args[0]).E, client.Text))
	return &memory.Pointer{To: to}, true
}

// builder is a method of strings.Builder or bytes.Buffer, or fmt.Fprintf to
// one.
func builder(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	p, ok := memory.Unbox(inv.Args[0]).(*memory.Pointer)
	if !ok || !gotypes.IsBuilder(p.To.T) {
		return nil, false
	}
	have := in.ScalarOf(in.Load(p.To)).E
	add := func(e client.Expr) (memory.Value, bool) {
		in.Store(p.To, memory.Of(memory.Concat(have, e), client.Text))
		return in.Quiet(inv.T), true
	}
	switch inv.Name[strings.LastIndexByte(inv.Name, '.')+1:] {
	case "WriteString":
		return add(in.ScalarOf(inv.Args[1]).E)
	case "WriteByte", "WriteRune":
		if c, ok := memory.ConstOf(inv.Args[1]); ok && c.Kind == ir.KindInt {
			return add(client.C(ir.Text(string(rune(c.I)))))
		}
		return add(&client.Call{Name: "char", Args: in.Exprs(inv.Args[1:]), Kind: client.Text})
	case "Fprintf":
		format, ok := memory.ConstOf(inv.Args[1])
		list, known := in.ListOf(inv.Args[2])
		if !ok || !known {
			return add(&client.Call{Name: "format", Args: in.Exprs(inv.Args[1:]), Kind: client.Text})
		}
		return add(in.Sprintf(format.S, list))
	case "String":
		return memory.Of(have, client.Text), true
	case "Len":
		return memory.Of(&client.Call{Name: "len", Args: []client.Expr{have}, Kind: client.Int}, client.Int), true
	case "Reset":
		in.Store(p.To, memory.Of(client.C(ir.Text("")), client.Text))
		return in.Quiet(inv.T), true
	}
	return nil, false
}
