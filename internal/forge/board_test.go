package forge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestStatusesAreWrittenWhenTheyAreNews(t *testing.T) {
	m := forgetest.NewMemory()
	set := func(b *forge.Board, s forge.Status, want bool) {
		t.Helper()
		if news, err := b.Set(t.Context(), commit, s); err != nil || news != want {
			t.Errorf("%+v: news is %v, %v; want %v", s, news, err, want)
		}
	}
	one := forge.Status{Context: "c", State: forge.Pending, Description: "being planned"}
	done := forge.Status{Context: "c", State: forge.Success, Description: "1 to create", URL: "https://x"}
	b := forge.NewBoard(m)
	set(b, one, true)
	set(b, one, false)
	set(b, done, true)
	set(b, done, false)
	set(b, forge.Status{Context: "d", State: forge.Success}, true)
	set(forge.NewBoard(m), done, false) // a new process reads the statuses first
	if writes := m.Writes(); len(writes) != 3 {
		t.Errorf("wrote %q", writes)
	}
}

func TestDescriptionsThatOnlyFlickerEnd(t *testing.T) {
	m := forgetest.NewMemory()
	b := forge.NewBoard(m)
	for i := range 3000 {
		s := forge.Status{Context: "c", State: forge.Pending, Description: strings.Repeat("x", i%140)}
		if _, err := b.Set(t.Context(), commit, s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Set(t.Context(), commit, forge.Status{Context: "c", State: forge.Failure}); err != nil {
		t.Fatal(err)
	}
	if s, n := m.Status(commit, "c"); n > 900 || s.State != forge.Failure {
		t.Errorf("%d statuses, the last %s", n, s.State)
	}
}

func TestDescribe(t *testing.T) {
	for in, want := range map[string]string{
		"short":                  "short",
		"two\nlines":             "two lines",
		"rocket \U0001f680":      "rocket \ufffd",
		strings.Repeat("ä", 140): strings.Repeat("ä", 140),
		strings.Repeat("ä", 141): strings.Repeat("ä", 139) + "…",
	} {
		got := forge.Describe(in)
		if got != want || utf8.RuneCountInString(got) > forge.MaxDescription || forge.Describe(got) != got {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// The forge may have stored a status although its answer did not arrive. So if the agent sets the
// earlier status again, that status has to be written.
func TestAStatusWhoseAnswerIsLostIsNotForgotten(t *testing.T) {
	m := &lossy{Memory: forgetest.NewMemory()}
	b := forge.NewBoard(m)
	held := forge.Status{Context: "c", State: forge.Failure, Description: "held"}
	done := forge.Status{Context: "c", State: forge.Success, Description: "in sync: 1 object"}
	if _, err := b.Set(t.Context(), commit, held); err != nil {
		t.Fatal(err)
	}
	m.lose = true
	if _, err := b.Set(t.Context(), commit, done); !errors.Is(err, forge.ErrUnavailable) {
		t.Fatal(err)
	}
	m.lose = false
	if _, err := b.Set(t.Context(), commit, held); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status(commit, "c"); s.State != forge.Failure {
		t.Errorf("people see %s %q, want what was said last", s.State, s.Description)
	}
}

// lossy is a forge whose answers to new statuses get lost.
type lossy struct {
	*forgetest.Memory
	lose bool
}

func (l *lossy) SetStatus(ctx context.Context, commit string, s forge.Status) error {
	err := l.Memory.SetStatus(ctx, commit, s)
	if l.lose && err == nil {
		err = forge.ErrUnavailable
	}
	return err
}

// A status may be set while the statuses of its commit are being read, because several stacks of
// one repository read the same commit. The older status that was read must not replace the new one.
func TestAStatusThatIsSetWhileOthersAreReadCounts(t *testing.T) {
	m := &slow{Memory: forgetest.NewMemory()}
	b := forge.NewBoard(m)
	done := forge.Status{Context: "c", State: forge.Success, Description: "in sync: 1 object"}
	if err := m.SetStatus(t.Context(), commit, done); err != nil {
		t.Fatal(err)
	}
	set := func(s forge.Status) {
		t.Helper()
		if _, err := b.Set(t.Context(), commit, s); err != nil {
			t.Fatal(err)
		}
	}
	m.meanwhile = func() { set(forge.Status{Context: "c", State: forge.Pending, Description: "1 to create"}) }
	if _, _, err := b.Get(t.Context(), commit, "another"); err != nil {
		t.Fatal(err)
	}
	set(done)
	if s, _ := m.Status(commit, "c"); s.State != forge.Success {
		t.Errorf("people see %s %q, want what was said last", s.State, s.Description)
	}
}

// slow is a forge whose statuses change while they are being read: meanwhile runs after the list is
// read and before it is returned.
type slow struct {
	*forgetest.Memory
	meanwhile func()
}

func (s *slow) Statuses(ctx context.Context, commit string) ([]forge.Status, error) {
	list, err := s.Memory.Statuses(ctx, commit)
	if f := s.meanwhile; f != nil {
		s.meanwhile = nil
		f()
	}
	return list, err
}

// The statuses of many open pull requests are read once, although the pull requests are planned
// repeatedly.
func TestTheStatusesOfManyCommitsAreReadOnce(t *testing.T) {
	m := forgetest.NewMemory()
	b := forge.NewBoard(m)
	const heads = 2000
	for range 2 {
		for i := range heads {
			if _, err := b.Set(t.Context(), fmt.Sprintf("%040x", i), forge.Status{Context: "c", State: forge.Success}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(m.Requests()); n != 2*heads {
		t.Errorf("%d requests to read and set %d statuses", n, heads)
	}
}
