package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func keys(n int) (list []manifest.Key) {
	for i := range n {
		list = append(list, manifest.Key{Kind: "Thing", Name: fmt.Sprint(i)})
	}
	return list
}

// The message about a long circle names only its ends.
func TestCirclesAreNamedByTheirEnds(t *testing.T) {
	for n, want := range map[int]string{
		2:  "Thing/0 -> Thing/1 -> Thing/0",
		20: "Thing/0 -> Thing/1 -> Thing/2 -> Thing/3 -> Thing/4 -> Thing/5 -> Thing/6 -> Thing/7 -> Thing/8 -> Thing/9 -> Thing/10 -> Thing/11 -> Thing/12 -> Thing/13 -> Thing/14 -> Thing/15 -> Thing/16 -> Thing/17 -> Thing/18 -> Thing/19 -> Thing/0",
		21: "Thing/0 -> Thing/1 -> Thing/2 -> Thing/3 -> Thing/4 -> 11 more -> Thing/16 -> Thing/17 -> Thing/18 -> Thing/19 -> Thing/20 -> Thing/0",
	} {
		var path []*node
		for _, key := range keys(n) {
			path = append(path, &node{Desired: kind.Desired{Key: key}})
		}
		if got := circle(path); got != want {
			t.Errorf("of %d: %s", n, got)
		}
	}
}

// objectsText returns the names of three objects of a file or pattern, and the commit.
func TestWhatWasMadeIn(t *testing.T) {
	for _, c := range []struct {
		commit string
		n      int
		want   string
	}{
		{"", 1, "Thing/0 in the commit before"},
		{"abcdef", 3, "Thing/0, Thing/1, Thing/2 in commit abcdef"},
		{"0123456789abcdef", 5, "Thing/0, Thing/1, Thing/2, 2 more in commit 0123456789"},
	} {
		if got := objectsText(c.commit, keys(c.n)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Fields with a choice are listed once. Their ways are listed, too, if they have more ways than every field has. A text from outside the
// agent is shortened.
func TestChoicesAndTextsOfStrangers(t *testing.T) {
	any := manifest.AnyField()
	choices := []manifest.Choice{{Names: []string{"a"}, Ways: any}, {Names: []string{"b"}, Ways: append([]string{"grow"}, any...)}, {Names: []string{"a"}, Ways: any}}
	if got, want := choiceNames(choices), "a, b (grow, "+strings.Join(any, ", ")+")"; got != want || choiceNames(nil) != "none" {
		t.Errorf("%s, want %s; %s", got, want, choiceNames(nil))
	}
	for n, want := range map[int]int{50: 50, 51: 51} {
		if got := clip(strings.Repeat("ö", n)); len([]rune(got)) != want || strings.HasSuffix(got, "…") != (n > 50) {
			t.Errorf("of %d: %s", n, got)
		}
	}
}

// The text for data represents all of the data. It is the data itself, or a digest if the data is long or not valid text.
func TestTextOfData(t *testing.T) {
	of := func(value string) string {
		n := &node{Desired: kind.Desired{Data: map[string]string{"key": value}}}
		if n.dataText() != n.dataText() {
			t.Error("it is another one the second time")
		}
		return n.dataText()
	}
	if got := of("short"); got != `{"key":"short"}` {
		t.Errorf("short: %s", got)
	}
	long := strings.Repeat("x", longData-len(`{"key":""}`))
	if got := of(long); len(got) != longData {
		t.Errorf("as long as it may be: %d", len(got))
	}
	if got := of(long + "x"); len(got) > 100 || got == of(long+"y") {
		t.Errorf("longer: %d", len(got))
	}
	if got := of("\xff"); got == of("\xfe") {
		t.Errorf("no text: %s", got)
	}
}
