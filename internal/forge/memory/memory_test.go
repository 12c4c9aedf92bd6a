package memory

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

func TestMarkersComeBack(t *testing.T) {
	m := Marker{Kind: PlanComment, Stack: "a--b->", Run: 1763731200123, Part: 1, Parts: 2, Head: "h", Base: "b", Hash: planHash, Proof: Sums{{1}, {0xff}}, Tree: "t", To: 7}
	line := m.String()
	if strings.Count(line, "--") != 2 || strings.Contains(line, "\n") {
		t.Errorf("%q can be left before its end", line)
	}
	for _, body := range []string{line, line + "\nand more", line + "\r\nand more\r\n"} {
		if got, ok := ParseMarker(body); !ok || !reflect.DeepEqual(got, m) {
			t.Errorf("%q came back as %+v, %v", body, got, ok)
		}
	}
	for _, body := range []string{"", "hello\n" + line, "> " + line, "<!-- stackreeve {} ", "<!-- stackreeve nonsense -->"} {
		if got, ok := ParseMarker(body); ok {
			t.Errorf("%q is taken for a marker: %+v", body, got)
		}
	}
}

const planHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// written has the statuses that this version writes.
var written = []struct {
	state forge.State
	text  string
	means Status
}{
	{forge.Success, "in sync: 1 object", Status{Is: InSync, Objects: 1}},
	{forge.Success, "in sync: 10 objects; suspended", Status{Is: InSync, Objects: 10, Paused: true}},
	{forge.Success, "in sync until 505e324449", Status{Is: WasInSync, Commit: "505e324449"}},
	{forge.Success, "no drift", Status{Is: NoDrift}},
	{forge.Failure, "drifted: 2 objects since 14:46 UTC, 21 Nov 2026", Status{Is: Drifted, Objects: 2, Since: time.Date(2026, 11, 21, 14, 46, 0, 0, time.UTC)}},
	{forge.Failure, "held: approve " + planHash + "; it would delete everything", Status{Is: Held, Hash: planHash, Why: "it would delete everything"}},
	{forge.Failure, "held: unread; approve: stackreeve run; too much", Status{Is: Held, Command: "stackreeve run", Unread: true, Why: "too much"}},
	{forge.Failure, "held: approve: stackreeve run; too much", Status{Is: Held, Command: "stackreeve run", Why: "too much"}},
	{forge.Failure, "suspended (2 differ): on holiday", Status{Is: Suspended, Objects: 2, Why: "on holiday"}},
	{forge.Failure, "3 failed; the first: Server/a: quota", Status{Is: Failed, Why: "3 failed; the first: Server/a: quota"}},
	{forge.Pending, "1 of 2 done", Status{Is: Running, Why: "1 of 2 done"}},
	{forge.Error, "unknown: the cloud is away", Status{Why: "unknown: the cloud is away"}},
}

func TestStatusesComeBack(t *testing.T) {
	for _, s := range written {
		status := forge.Status{State: s.state, Description: s.text}
		if got := ParseStatus(status); got != s.means {
			t.Errorf("%q means %+v, want %+v", s.text, got, s.means)
		}
		if got := s.means.Forge(); got != status {
			t.Errorf("%+v is written as %+v, want %+v", s.means, got, status)
		}
	}
}

// TestStatusesOfEarlierVersions checks that statuses of earlier versions are read with their
// meaning, or as unknown.
func TestStatusesOfEarlierVersions(t *testing.T) {
	for text, want := range map[string]Condition{
		"held: no pull request brought it; approve: stackreeve run --once --stack prod --approve " + planHash + "; x": Held,
		"held: no pull request brought it; approve: stackreeve run --once --stack a-very-lo…":                         Held,
		"held: not from a pull request; approve: stackreeve run; too much":                                            Held,
		"held: too many comments to be read; approve: stackreeve run; too much":                                       Held,
		"held: approve 0123456789abcdef; it would delete everything":                                                  Held,
		"drifted: 1 object since yesterday":                                                                           Failed,
	} {
		if got := ParseStatus(forge.Status{State: forge.Failure, Description: text}); got.Is != want {
			t.Errorf("%q means %+v", text, got)
		}
	}
	if got := ParseStatus(forge.Status{State: forge.Error, Description: "cannot be told: the cloud is away"}); got.Is != Unknown {
		t.Errorf("means %+v", got)
	}
}

func TestAttackStatusesThatWeDoNotWrite(t *testing.T) {
	for _, text := range []string{
		"", "in sync", "in sync: ", "in sync: many objects", "in sync: -1 objects", "in sync: 1 object; or not", "in sync: 99999999999 objects", "In sync: 1 object",
		"in sync: 1 object\n", " in sync: 1 object", "in sync until", "in sync until tomorrow", "in sync until 505e324449 or so", "no drift at all",
	} {
		if got := ParseStatus(forge.Status{State: forge.Success, Description: text}); got.Is != Unknown {
			t.Errorf("%q means %+v", text, got)
		}
	}
	for _, state := range []forge.State{forge.Pending, forge.Failure, forge.Error, ""} {
		if got := ParseStatus(forge.Status{State: state, Description: "in sync: 1 object"}); got.Is == InSync {
			t.Errorf("%s: %+v", state, got)
		}
	}
	// The reason of a failure may contain texts of manifests and clouds.
	for _, text := range []string{"held: approve " + planHash + "; x", "suspended (1 differ): x", "drifted: 1 object since 14:46 UTC, 21 Nov 2026"} {
		if got := ParseStatus(Status{Is: Failed, Why: text}.Forge()); got.Is != Failed {
			t.Errorf("the reason %q means %+v", text, got)
		}
	}
}

func TestAttackMarkersThatWeDoNotWrite(t *testing.T) {
	one := strings.Repeat("A", 43)
	for body, want := range map[string]Marker{
		`{"kind":"plan","run":-1,"part":-1,"parts":9999999,"after":-5,"to":-5,"done":"approved"}`: {Kind: PlanComment},
		`{"kind":"plan","hash":"<b>","proof":"` + one + `","tree":"x"}`:                           {Kind: PlanComment},
		`{"kind":"plan","proof":"` + one + `","tree":"x"}`:                                        {Kind: PlanComment},
		`{"kind":"plan","shown":[{"hash":"0f","after":-1},{"hash":"zz","after":1}],"told":[0]}`:   {Kind: PlanComment, Shown: []Shown{}, Reported: []int{}},
		// Earlier releases wrote the next two markers.
		`{"kind":"plan","hash":"` + planHash[:32] + `","exact":"` + planHash[:32] + `","steps":["0123456789abcdef"],"tree":"x"}`: {Kind: PlanComment},
		`{"kind":"plan","hash":"` + planHash + `","proof":["0123456789abcdef"],"tree":"x"}`:                                      {Kind: PlanComment, Hash: planHash},
		`{"kind":"plan","hash":"` + planHash + `","proof":"` + one[1:] + `","tree":"x"}`:                                         {Kind: PlanComment, Hash: planHash},
		`{"kind":"plan","hash":"` + planHash + `","proof":"` + one[:42] + `B","tree":"x"}`:                                       {Kind: PlanComment, Hash: planHash},
		`{"kind":"plan","hash":"` + planHash + `","proof":"` + one + `","tree":"x"}`:                                             {Kind: PlanComment, Hash: planHash, Proof: Sums{{}}, Tree: "x"},
		`{"kind":"drift","told":[3,-1]}`: {Kind: DriftComment, Reported: []int{3}},
	} {
		if got, ok := ParseMarker(markerOpen + body + markerClose); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", body, got, ok)
		}
	}
	for _, body := range []string{`{}`, `{"kind":"approval"}`, `{"kind":"plan","run":"1"}`, `{"kind":"plan"} {}`, `null`} {
		if got, ok := ParseMarker(markerOpen + body + markerClose); ok {
			t.Errorf("%s is a marker: %+v", body, got)
		}
	}
	many := Marker{Kind: PlanComment, Hash: planHash, Tree: "x", Proof: make(Sums, MaxSteps+2)}
	if got, _ := ParseMarker(many.String()); len(got.Proof) > 0 || got.Tree != "" || got.Hash != planHash {
		t.Errorf("%d sums, tree %q", len(got.Proof), got.Tree)
	}
}

// sha returns a commit hash that is made from a name.
func sha(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

func TestMarkersFit(t *testing.T) {
	m := Marker{Kind: PlanComment, Stack: strings.Repeat("a-", 31) + "a", Run: 1 << 62, Part: 5, Parts: 5, Head: sha("a"), Base: sha("b"), Hash: planHash, Tree: sha("e") + sha("f")[:24], After: 1 << 62, Done: forge.Failure, To: 1 << 62}
	for n := range 1 + MaxSteps {
		m.Proof = append(m.Proof, sha256.Sum256([]byte(fmt.Sprint(n))))
	}
	for n := range maxShown {
		m.Shown = append(m.Shown, Shown{Hash: sha(fmt.Sprint(n)) + planHash[:24], After: 1 << 62})
	}
	if n := len(m.String()); n > MaxMarker {
		t.Errorf("a marker takes %d", n)
	}
}

// PullOf finds the pull request in the addresses of comments on GitHub, Gitea and GitLab.
func TestPullOf(t *testing.T) {
	for address, want := range map[string]int{
		"https://github.com/a/b/pull/7#issuecomment-1": 7, "https://git.example/a/b/pulls/8#issuecomment-1": 8,
		"https://gitlab.com/a/b/c/-/merge_requests/9#note_1": 9, "https://github.com/a/b/pull/7": 0, "https://github.com/a/b/pull/0#x": 0, "": 0,
	} {
		if number, ok := PullOf(forge.Status{URL: address}); number != want || ok != (want > 0) {
			t.Errorf("%s leads to %d, %v; want %d", address, number, ok, want)
		}
	}
}
