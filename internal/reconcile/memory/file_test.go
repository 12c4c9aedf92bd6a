package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A memory writes no file if it has no path, or if its project is not known yet.
func TestWhatWritesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	for name, c := range map[string]struct{ path, where string }{"no file": {"", "p"}, "no project": {path, ""}} {
		m, err := Open(c.path, "s", noon)
		if err != nil {
			t.Fatal(err)
		}
		m.where = c.where
		m.NoteBegun([]manifest.Key{web})
		if err := m.Save(noon); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If a file cannot be written or removed, there is an error. If a memory would be too large, no file is left.
func TestWhatCannotBeWritten(t *testing.T) {
	m, path := filled(t)
	for i := range 3 {
		set(&m.unanswered, fmt.Sprint(i)+strings.Repeat("x", 6<<20), noon)
	}
	if err := m.Save(noon); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("it is too large: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	m.unanswered = nil
	m.path = filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(m.path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(noon); err == nil {
		t.Error("a folder is written")
	}
	m.written, m.begun, m.patients = "?", nil, nil
	if err := m.Save(noon); err == nil {
		t.Error("a folder is taken away")
	}
	m.NoteBegun([]manifest.Key{web})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.path = filepath.Join(file, "s.json")
	if err := m.Save(noon); err == nil {
		t.Error("a file is a folder")
	}
}

// If the file cannot be replaced, the outdated one is removed. The next save writes it again.
func TestAnOutdatedFileIsRemoved(t *testing.T) {
	m, short := filled(t)
	text, err := os.ReadFile(short)
	if err != nil {
		t.Fatal(err)
	}
	m.path = filepath.Join(filepath.Dir(short), strings.Repeat("s", 250)) // the name of a file beside it would be too long
	if err := os.WriteFile(m.path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m.NoteBegun([]manifest.Key{{Kind: "Server", Name: "new"}})
	if err := m.Save(noon); err == nil {
		t.Error("the file is written")
	}
	if _, err := os.Stat(m.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the outdated file is there: %v", err)
	}
	m.path = short
	if err := m.Save(noon); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(short); err != nil || string(now) == string(text) {
		t.Errorf("the file is not written again: %v", err)
	}
}

// While a pass runs, a larger file is written less often. An unchanged file is written again after an hour.
func TestHowOftenItIsWritten(t *testing.T) {
	m, _ := filled(t)
	if _ = m.Save(noon.Add(time.Hour)); !m.saved.Equal(noon.Add(time.Hour)) {
		t.Errorf("after an hour it was last written at %s", m.saved)
	}
	set(&m.unanswered, strings.Repeat("x", 2<<20), noon)
	if err := m.Save(noon); err != nil || !m.next.Equal(seconds(3)) {
		t.Errorf("%v, next at %s", err, m.next)
	}
}

// The same memory always gives the same file, no matter in which order its maps are read. Members that were never healed are not in it.
func TestTheFileIsInOrder(t *testing.T) {
	m := &Memory{file: file{stack: "s"}, where: "p"}
	for _, name := range []string{"d", "b", "e", "a", "c"} {
		key := manifest.Key{Kind: "Server", Name: name}
		set(&m.begun, key, begun{})
		set(&m.unanswered, name, noon)
		set(&m.patients, key, rollout.Patient{Healed: []time.Time{noon}})
	}
	set(&m.patients, manifest.Key{Kind: "Server", Name: "well"}, rollout.Patient{})
	d := m.document()
	var begun, unanswered, healed string
	for i := range 5 {
		begun, unanswered, healed = begun+d.Begun[i].Key.Name, unanswered+d.Unanswered[i].Step, healed+d.Healed[i].Member.Name
	}
	if begun != "abcde" || unanswered != "abcde" || healed != "abcde" || len(d.Healed) != 5 {
		t.Errorf("%s, %s, %s of %d", begun, unanswered, healed, len(d.Healed))
	}
}

// If only one part of a memory is filled, it still has a file.
func TestEmpty(t *testing.T) {
	one := document{Begun: []begunDoc{{}}, Healed: []patientsDoc{{}}}
	for name, d := range map[string]document{"begun and healed": one, "unanswered": {Unanswered: []requestDoc{{}}}, "unanswered and begun": {Begun: one.Begun, Unanswered: []requestDoc{{}}}} {
		if d.empty() {
			t.Errorf("%s is nothing", name)
		}
	}
	if !(document{}).empty() {
		t.Error("nothing is something")
	}
}

// Each entry of a file must name an object, and must end at some time.
func TestCheck(t *testing.T) {
	server := keyDoc{Kind: "Server", Name: "web"}
	for name, c := range map[string]struct {
		d     document
		wrong bool
	}{
		"a day old":             {d: document{Saved: noon.Add(-maxAge)}},
		"a little ahead":        {d: document{Saved: noon.Add(clockError)}},
		"begun, for an hour":    {d: document{Saved: noon, Begun: []begunDoc{{Key: server, Until: noon.Add(maxRequestTime)}}}},
		"begun, of no kind":     {d: document{Saved: noon, Begun: []begunDoc{{Key: keyDoc{Name: "web"}}}}, wrong: true},
		"begun, of no name":     {d: document{Saved: noon, Begun: []begunDoc{{Key: keyDoc{Kind: "Server"}}}}, wrong: true},
		"a request of no step":  {d: document{Saved: noon, Unanswered: []requestDoc{{Until: noon}}}, wrong: true},
		"a request without end": {d: document{Saved: noon, Unanswered: []requestDoc{{Step: "x", Until: noon.Add(maxRequestTime + 1)}}}, wrong: true},
		"healed, of no kind":    {d: document{Saved: noon, Healed: []patientsDoc{{Member: keyDoc{Name: "web"}}}}, wrong: true},
		"healed, of no name":    {d: document{Saved: noon, Healed: []patientsDoc{{Member: keyDoc{Kind: "Server"}}}}, wrong: true},
		"healed a little ahead": {d: document{Saved: noon, Healed: []patientsDoc{{Member: server, At: []time.Time{noon.Add(clockError)}}}}},
		"healed, much too late": {d: document{Saved: noon, Healed: []patientsDoc{{Member: server, At: []time.Time{noon.Add(clockError + 1)}}}}, wrong: true},
	} {
		c.d.Format, c.d.Stack, c.d.Where = format, "s", "p"
		if err := c.d.check("s", noon); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.d.check("", noon); (err != nil) != c.wrong {
			t.Errorf("%s, of any stack: %v", name, err)
		}
	}
}

// The decision after a search is stored in any case. If it has a commit, the earlier state of the group is stored, too, and its objects
// are added to the wanted objects.
func TestSearched(t *testing.T) {
	m, f := &Memory{}, plan.Failing{Group: web, Digest: "d"}
	if m.Searched(f) {
		t.Error("nothing was searched")
	}
	m.NoteSearched(f, plan.Fallback{})
	if !m.Searched(f) || len(m.Past().Fallbacks) > 0 {
		t.Errorf("without a commit: %v", m.Past().Fallbacks)
	}
	m.NoteSearched(f, plan.Fallback{Commit: "c", Want: make([]kind.Desired, 2)})
	if len(m.Past().Fallbacks) != 1 || len(m.WithFallbacks(make([]kind.Desired, 1))) != 3 {
		t.Errorf("with a commit: %v", m.Past().Fallbacks)
	}
}
