package memory

import (
	"bytes"
	"errors"
	"maps"
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

var (
	noon = time.Date(2024, 2, 1, 12, 0, 0, 0, time.UTC)
	web  = manifest.Key{Group: "g", Kind: "Server", Namespace: "default", Name: "web"}
)

// filled returns a memory that has a value in every field, and the path of its file.
func filled(t *testing.T) (m *Memory, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory", "s.json")
	m, err := Open(path, "s", noon)
	if err != nil {
		t.Fatal(err)
	}
	m.Forget(LoggedIn{Where: "one/p1", As: "ann"})
	create := &plan.Step{Key: web, Action: plan.Create}
	m.NoteBegun([]manifest.Key{web})
	m.NoteFailure(create, kind.ErrUnanswered, noon, 3*time.Minute)
	m.NoteMade(create, &kind.Live{ID: "id-1"}, noon)
	m.NoteKilled(noon)
	m.NoteAnswer(web, 0, "id-1", noon, errors.New("status 503"))
	m.NoteSearched(plan.Failing{Group: web, Digest: "d"}, plan.Fallback{Commit: "c"})
	m.NoteFound(Place{Kind: "Server"}, Finding{Owns: true, At: noon})
	m.NoteFound(Place{Kind: "Volume"}, Finding{At: noon})
	m.NoteFound(Place{Kind: "Volume", Entry: "other"}, Finding{At: noon})
	m.NoteFound(Place{Kind: "Secret"}, Finding{At: noon, Refused: kind.ErrForbidden})
	m.NoteTrace(*create, kind.Trace{Who: "Ann"})
	m.knownIDs, m.adopted = map[string]string{"Server/web": "id-1"}, map[string]bool{"Server/web": true}
	m.patients = map[manifest.Key]rollout.Patient{web: {Down: "stopped", Since: noon.Add(-time.Hour), Healed: []time.Time{noon}}}
	m.seen = plan.Seen{Served: map[manifest.Key]plan.Served{web: {ID: "id-1"}}, Quiet: map[plan.Quiet]time.Time{{Front: web, Member: web}: noon}}
	if err := m.Save(noon); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// Knowledge that makes the process wait, heal less or report less drift is restored. Knowledge that would replace a mark, or cause more
// deletions, is not restored.
func TestWhatIsKept(t *testing.T) {
	_, path := filled(t)
	next, err := Open(path, "s", noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	next.Forget(LoggedIn{Where: "one/p1", As: "ann"})
	past := next.Past()
	if got := next.HiddenUntil("Server/web#", false); !past.Begun[web] || !next.begun[web].until.Equal(noon.Add(3*time.Minute)) || !got.Equal(noon.Add(3*time.Minute)) {
		t.Errorf("begun %v, unanswered until %v", next.begun, got)
	}
	if p := past.Patients[web]; len(p.Healed) != 1 || !p.Healed[0].Equal(noon) || !p.Since.IsZero() || p.Down != "" {
		t.Errorf("the member is %+v", p)
	}
	if len(past.KnownIDs)+len(past.Made)+len(past.Fallbacks)+len(past.Seen.Served)+len(past.Seen.Quiet)+len(next.created)+len(next.probed)+len(next.traces)+len(next.adopted) > 0 || !next.killedUntil.IsZero() {
		t.Errorf("more is kept: %+v", past)
	}
	if found, want := next.AllFound(), (map[Place]Finding{{Kind: "Volume"}: {At: noon}, {Kind: "Server"}: {Owns: true, At: noon}, {Kind: "Secret"}: {At: noon, Refused: refusal("not allowed")}}); !maps.Equal(found, want) || !errors.Is(found[Place{Kind: "Secret"}].Refused, kind.ErrForbidden) {
		t.Errorf("found %v, want %v", found, want)
	}
	var kept bytes.Buffer
	if err := next.Print(&kept); err != nil {
		t.Error(err)
	}
	want := "of project one/p1\nbegun (1)\n  Server/web until 2024-02-01T12:03:00Z\ncreation requested, but no answer came (1)\n  Server/web# until 2024-02-01T12:03:00Z\ndo not serve, or were healed (1)\n  Server/web, healed at 2024-02-01T12:00:00Z\nlisted (3)\n  Secret at 2024-02-01T12:00:00Z, refused\n  Server at 2024-02-01T12:00:00Z, with objects of the stack\n  Volume at 2024-02-01T12:00:00Z\n"
	if kept.String() != want {
		t.Errorf("printed: %s", kept.String())
	}
	if next.Forget(LoggedIn{Where: "one/p2"}); len(next.Past().Begun) > 0 || !next.HiddenUntil("Server/web#", false).IsZero() {
		t.Error("another project has the past of this one")
	}
}

// The lists of an earlier process count only for the first login of the same user with the same roles. In the same project, the stack owns the same
// objects after each login, and a refused list does not count as a list without objects.
func TestWhoseListsAreKept(t *testing.T) {
	server, volume, secret := Place{Kind: "Server"}, Place{Kind: "Volume"}, Place{Kind: "Secret"}
	facts := map[Place]Finding{server: {Owns: true, At: noon}, secret: {Refused: refusal("not allowed")}}
	for name, c := range map[string]struct {
		logins []LoggedIn
		want   map[Place]Finding
	}{
		"the same":           {[]LoggedIn{{"one/p1", "ann"}}, map[Place]Finding{server: {Owns: true, At: noon}, volume: {At: noon}, secret: {At: noon, Refused: refusal("not allowed")}}},
		"a second login":     {[]LoggedIn{{"one/p1", "ann"}, {"one/p1", "ann"}}, facts},
		"another user":       {[]LoggedIn{{"one/p1", "bob"}}, facts},
		"an unknown user":    {[]LoggedIn{{"one/p1", ""}}, facts},
		"another project":    {[]LoggedIn{{"one/p2", "ann"}}, nil},
		"another, then this": {[]LoggedIn{{"one/p1", "bob"}, {"one/p1", "ann"}}, facts},
	} {
		_, path := filled(t)
		next, err := Open(path, "s", noon.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.logins {
			next.Forget(l)
		}
		if got := next.AllFound(); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A file that is damaged, foreign, too old, too large or from another stack gives an empty memory and an error with the reason.
func TestAFileThatCannotBeReadIsAnEmptyMemory(t *testing.T) {
	change := func(from, to string) func([]byte) []byte {
		return func(text []byte) []byte { return bytes.Replace(text, []byte(from), []byte(to), 1) }
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		after  time.Duration
		want   string
	}{
		"cut off":           {change: func(text []byte) []byte { return text[:len(text)/2] }, want: "unexpected EOF"},
		"empty":             {change: func([]byte) []byte { return nil }, want: "EOF"},
		"no JSON":           {change: func([]byte) []byte { return []byte("\x00\x01") }, want: "invalid character"},
		"more":              {change: func(text []byte) []byte { return append(text, text...) }, want: "after the document"},
		"another format":    {change: change(`"format":1`, `"format":2`), want: "format 2"},
		"an unknown field":  {change: change(`"format"`, `"ids":{},"format"`), want: "unknown field"},
		"another stack":     {change: change(`"stack":"s"`, `"stack":"t"`), want: "another stack"},
		"no project":        {change: change(`one/p1`, ``), want: "its project"},
		"of yesterday":      {after: 25 * time.Hour, want: "older than"},
		"of tomorrow":       {after: -time.Hour, want: "in the future"},
		"without end":       {change: change(`"until":"2024`, `"until":"2034`), want: "more than 1h0m0s after"},
		"healed in future":  {change: change(`"at":["2024`, `"at":["2034`), want: "more than 1m0s after"},
		"an object of none": {change: change(`"kind":"Server"`, `"kind":""`), want: "has no kind or no name"},
		"a kind of none":    {change: change(`"kind":"Volume"`, `"kind":""`), want: "names no kind"},
		"listed in future":  {change: change(`"at":"2024`, `"at":"2034`), want: "more than 1m0s after"},
		"too large":         {change: func(text []byte) []byte { return append(text, make([]byte, maxBytes)...) }, want: "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, path := filled(t)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				text = c.change(text)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			now := noon.Add(c.after)
			m, err := Open(path, "s", now)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			if past := m.Past(); len(past.Begun)+len(past.Patients) > 0 || len(m.unanswered) > 0 || m.where != "" {
				t.Errorf("it says %+v", past)
			}
			m.Forget(LoggedIn{Where: "one/p1", As: "ann"})
			m.NoteBegun([]manifest.Key{web})
			if err := m.Save(now); err != nil {
				t.Fatal(err)
			}
			if next, err := Open(path, "s", now); err != nil || !next.Past().Begun[web] {
				t.Errorf("it is not replaced: %v", err)
			}
		})
	}
}

// If other users of this machine can write the file, it is not read.
func TestAFileOfOthersIsNotRead(t *testing.T) {
	_, path := filled(t)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if m, err := Open(path, "s", noon); err == nil || len(m.Past().Begun) > 0 {
		t.Errorf("it is read: %v", err)
	}
}

// The file is written when there is new knowledge, but not too often. It is removed when the memory is empty.
func TestWhenItIsWritten(t *testing.T) {
	m, path := filled(t)
	written := func() time.Time { // returns the time that the file contains
		text, err := os.ReadFile(path)
		if err != nil {
			return time.Time{}
		}
		d, err := decode(text, "s", noon.Add(3*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return d.Saved
	}
	other := web
	for i, c := range []struct {
		name        string
		after       time.Duration
		ends        bool
		want, again time.Duration
	}{
		{name: "", after: 10 * time.Second},
		{name: "a", after: 10 * time.Second, want: 10 * time.Second},
		{name: "b", after: 10*time.Second + time.Millisecond, want: 10 * time.Second, again: 11 * time.Second},
		{name: "", after: 11 * time.Second, want: 11 * time.Second},
		{name: "c", after: 11*time.Second + time.Millisecond, ends: true, want: 11*time.Second + time.Millisecond},
		{name: "", after: time.Minute, ends: true, want: 11*time.Second + time.Millisecond},
		{name: "", after: 2 * time.Hour, ends: true, want: 2 * time.Hour},
	} {
		if other.Name = c.name; c.name != "" {
			m.NoteBegun([]manifest.Key{other})
		}
		var again time.Time
		var err error
		if now := noon.Add(c.after); c.ends {
			err = m.Save(now)
		} else {
			again = m.SaveNews(now)
		}
		if err != nil || !written().Equal(noon.Add(c.want)) || again.IsZero() != (c.again == 0) || c.again != 0 && !again.Equal(noon.Add(c.again)) {
			t.Errorf("%d: written at %v, again at %v, %v", i, written(), again, err)
		}
	}
	m.Forget(LoggedIn{Where: "one/p2"})
	if err := m.Save(noon.Add(3 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing is to be kept, and there is a file: %v", err)
	}
}
