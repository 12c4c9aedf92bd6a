package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// answering is a cloud that answers each request with one error.
type answering struct {
	*thingtest.World
	err error
}

func (a answering) Create(context.Context, typed.Want[thingtest.Spec]) (typed.Live[thingtest.Thing], error) {
	return typed.Live[thingtest.Thing]{Live: kind.Live{ID: "new"}}, a.err
}

func (a answering) Update(context.Context, typed.Want[thingtest.Spec], typed.Live[thingtest.Thing], []kind.Change) error {
	return a.err
}

func (a answering) Delete(_ context.Context, have typed.Live[thingtest.Thing]) (bool, error) {
	return have.Recreated, a.err
}

func (a answering) Unmark(context.Context, typed.Live[thingtest.Thing]) error { return a.err }

// The result of a step is the error of its request, or the object that the answer shows. If an object that was to be
// deleted is already gone, the step has succeeded.
func TestResultsOfRequests(t *testing.T) {
	broken := errors.New("500")
	for _, c := range []struct {
		action    plan.Action
		err, want error
		gone      bool
		live      bool
	}{
		{plan.Create, nil, nil, false, true}, {plan.Create, broken, broken, false, false}, {plan.Create, kind.ErrGone, kind.ErrGone, false, false},
		{plan.Update, nil, nil, false, false}, {plan.Update, broken, broken, false, false}, {plan.Update, kind.ErrGone, kind.ErrGone, false, false},
		{plan.Detach, nil, nil, false, false}, {plan.Detach, broken, broken, false, false}, {plan.Detach, kind.ErrGone, nil, true, false},
		{plan.Delete, nil, nil, false, false}, {plan.Delete, broken, broken, false, false}, {plan.Delete, kind.ErrGone, nil, true, false},
		{plan.Recreate, nil, nil, true, false}, {plan.Recreate, broken, broken, false, false},
	} {
		w := thingtest.New()
		e := &Engine{Stack: "s", Kinds: []*kind.Kind{thingtest.Of(w.Kind().Info, answering{w, c.err})}}
		want := wanted(t, &door{World: w}, "a")
		s := plan.Step{Key: want[0].Key, Action: c.action, Object: plan.Object{Want: &want[0], Have: &kind.Live{ID: "id", State: &thingtest.Thing{}}}}
		o := e.perform(t.Context(), s)
		if !errors.Is(o.result.Err, c.want) || (o.result.Err == nil) != (c.want == nil) || o.gone != c.gone || (o.live != nil) != c.live {
			t.Errorf("%s, %v: %v, gone %t, live %v", c.action, c.err, o.result.Err, o.gone, o.live)
		}
	}
}

// A step through an entry that is not logged in fails with the error of the login.
func TestStepsThroughClosedEntries(t *testing.T) {
	main, other := newDoors()
	other.closed = errors.New("401")
	e := entered(main, other)
	s := plan.Step{Key: thingtest.Key("a"), Action: plan.Delete, Object: plan.Object{Have: &kind.Live{ID: "id", Entry: "other"}}}
	if o := e.perform(t.Context(), s); !errors.Is(o.result.Err, errNotTried) {
		t.Errorf("before the login: %v", o.result.Err)
	}
	e.logIn(t.Context())
	if o := e.perform(t.Context(), s); !errors.Is(o.result.Err, other.closed) || o.gone {
		t.Errorf("after it: %v", o.result.Err)
	}
}

// The log says which entries and lists failed, unless the failure is usual or the pass was stopped.
func TestWhatIsLogged(t *testing.T) {
	forbidden := fmt.Errorf("%w: %w", kind.ErrRejected, kind.ErrForbidden)
	for name, c := range map[string]struct {
		main, other, login error
		scope              kind.Scope
		stopped            bool
		lines              int
	}{
		"nothing":                        {lines: 0},
		"a list":                         {main: errors.New("503"), lines: 1},
		"two lists":                      {main: errors.New("503"), other: errors.New("503"), lines: 2},
		"a login":                        {login: errors.New("401"), lines: 1},
		"a login, and it was stopped":    {login: errors.New("401"), stopped: true},
		"a list, and it was stopped":     {main: errors.New("503"), stopped: true},
		"there is no such service":       {main: kind.ErrNoService},
		"one may not list":               {main: forbidden, lines: 1},
		"one may not list what is rare":  {main: forbidden, scope: kind.OfCloud},
		"a further entry may not list":   {other: forbidden},
		"a list of what is rare, broken": {main: errors.New("503"), scope: kind.OfCloud, lines: 1},
	} {
		main, other := newDoors()
		main.refusal, other.refusal, other.closed = c.main, c.other, c.login
		e := entered(main, other)
		e.Kinds[0].Info.Scope = c.scope
		var text bytes.Buffer
		e.Log = slog.New(slog.NewTextHandler(&text, nil))
		ctx, stop := context.WithCancel(t.Context())
		if c.stopped {
			stop()
		}
		e.logIn(ctx)
		e.Observe(ctx, wanted(t, main, "a"))
		if got := strings.Count(text.String(), "\n"); got != c.lines {
			t.Errorf("%s: %d lines, want %d:\n%s", name, got, c.lines, text.String())
		}
		if of := strings.Count(text.String(), "entry=other"); c.other != nil && !errors.Is(c.other, kind.ErrForbidden) && of != 1 || c.other == nil && c.login == nil && of > 0 {
			t.Errorf("%s: %d lines name the entry", name, of)
		}
		stop()
	}
}

// own is an error whose text has a part that the agent wrote (own) and a part that quotes the cloud (quoted).
type own struct{ own, quoted string }

func (o own) Error() string    { return o.own + ": " + o.quoted }
func (o own) Unquoted() string { return o.own }

// A redacted error still has the part of its text that may be shown.
func TestWhatErrorsShow(t *testing.T) {
	secrets := func() []string { return []string{"hunter-two"} }
	e := &Engine{Secrets: secrets}
	want := []kind.Desired{{Key: manifest.Key{Kind: "Secret", Name: "s"}, Data: map[string]string{"x": password}}}
	r := e.secretsOf(want)
	for _, text := range []string{"it is hunter-two", "it is " + password} {
		if got := r.Text(text); got != "it is "+redact.Hidden {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	if got := (&Engine{}).secretsOf(want).Text("hunter-two or " + password); got != "hunter-two or "+redact.Hidden {
		t.Errorf("shown: %q", got)
	}
	for name, c := range map[string]struct {
		err  error
		same bool
		want string
	}{
		"no error":                {nil, true, ""},
		"nothing secret":          {errors.New("500"), true, "500"},
		"a secret":                {errors.New("500 for " + password), false, "500 for " + redact.Hidden},
		"a secret for the log":    {private.Hide("500", errors.New("for "+password)), false, "500"},
		"nothing secret, private": {private.Hide("500", errors.New("for somebody")), true, "500"},
		"a quoted secret":         {own{"the cloud said", "no " + escaped(password)}, false, "the cloud said: " + redact.Withheld},
		"a secret in own words":   {own{"no " + escaped(password), "500"}, false, redact.Withheld},
		"nobody's words":          {errors.New("no " + escaped(password)), false, redact.Withheld},
	} {
		got := hide(confidential.Redactor(want), c.err)
		if (got == nil) != (c.err == nil) || got != nil && got.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		if same := got == c.err; c.err != nil && same != c.same { //nolint:errorlint // the very same one
			t.Errorf("%s: the same %t", name, same)
		}
	}
}

// escaped returns a text in which every second character is percent-encoded.
func escaped(text string) string {
	var b strings.Builder
	for i, r := range text {
		if i%2 == 0 {
			fmt.Fprintf(&b, "%%%02x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + " " + b.String()[:6] + " " + text
}

// A step that fails is tried again after a pause, but not forever.
func TestFailuresOfASteps(t *testing.T) {
	update, create := plan.Step{Key: thingtest.Key("a"), Action: plan.Update}, plan.Step{Key: thingtest.Key("a"), Action: plan.Create}
	for name, c := range map[string]struct {
		step    plan.Step
		err     error
		times   int
		final   bool
		pauses  bool
		noError bool
	}{
		"it passes":                       {update, errors.New("500"), 3, false, true, false},
		"it does not pass":                {update, errors.New("500"), 4, true, true, false},
		"it is gone":                      {update, kind.ErrGone, 3, false, false, true},
		"it is always gone":               {update, kind.ErrGone, 4, true, true, false},
		"what a creation needs is gone":   {create, kind.ErrGone, 1, false, true, false},
		"it is rejected":                  {update, kind.ErrRejected, 1, true, false, false},
		"it is busy":                      {update, kind.ErrBusy, 9, false, true, false},
		"something is missing":            {update, kind.ErrNotYet, 1, false, true, false},
		"something is missing, and stays": {update, kind.ErrNotYet, 2, true, true, false},
	} {
		r := newRun(engineOf(thingtest.New()), Revision{})
		for range c.times {
			r.noteFailure("a", c.step, time.Now(), c.err)
		}
		h := r.histories["a"]
		if h.final != c.final || !h.notUntil.IsZero() != c.pauses || (h.err == nil) != c.noError {
			t.Errorf("%s: final %t, until %v, %v", name, h.final, h.notUntil, h.err)
		}
	}
}

// idle reports that no other step, no new list and no work of the cloud can change anything while a step fails.
func TestWhenAStepIsAlone(t *testing.T) {
	other := func(r *run, err error, final bool) {
		h := r.ensureHistory("b")
		h.err, h.final = err, final
		r.round.queue = []candidate{{id: "a"}, {id: "b"}}
	}
	for name, c := range map[string]struct {
		change func(r *run)
		alone  bool
	}{
		"nothing else":                {func(r *run) { r.round.queue = []candidate{{id: "a"}} }, true},
		"another is in flight":        {func(r *run) { r.doing["b"] = Activity{} }, false},
		"the cloud is working":        {func(r *run) { r.round.waiting = []Activity{{}} }, false},
		"an answer is in no plan yet": {func(r *run) { r.changed["Thing"] = nil }, false},
		"another can start":           {func(r *run) { r.round.queue = []candidate{{id: "a"}, {id: "b"}} }, false},
		"another waits for the same":  {func(r *run) { other(r, kind.ErrNotYet, false) }, true},
		"another was given up":        {func(r *run) { other(r, errors.New("500"), true) }, true},
		"another is tried again":      {func(r *run) { other(r, errors.New("500"), false) }, false},
		"another was written":         {func(r *run) { r.fresh["Thing"].stale[thingtest.Key("b")] = true }, false},
	} {
		r := newRun(engineOf(thingtest.New()), Revision{})
		c.change(r)
		if got := r.idle("a"); got != c.alone {
			t.Errorf("%s: %t", name, got)
		}
	}
}
