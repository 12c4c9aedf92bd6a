package moves

import (
	"crypto/sha1"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// texts has the texts of files by their paths. It is also the Reader of these files.
type texts map[string]string

func (x texts) Size(f File) (int64, bool, error) { return int64(len(x[f.Path])), true, nil }

func (x texts) Text(f File) ([]byte, bool, error) { return []byte(x[f.Path]), true, nil }

func (x texts) list(names ...string) (list []File) {
	for _, name := range names {
		list = append(list, File{Path: name, Hash: sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(x[name]), x[name])))})
	}
	return list
}

// lines returns n numbered lines of a family. The lines with the numbers other belong to another
// family.
func lines(family string, n int, other ...int) string {
	var text strings.Builder
	for i := range n {
		name := family
		for _, o := range other {
			if o == i {
				name = "other"
			}
		}
		fmt.Fprintf(&text, "%s, line %d\n", name, i)
	}
	return text.String()
}

func plenty() *Budget {
	return &Budget{Pairs: math.MaxInt32, Bytes: math.MaxInt32, Steps: math.MaxInt32}
}

func TestFind(t *testing.T) {
	ten := lines("a", 10)
	for name, c := range map[string]struct {
		texts      texts
		gone, come []string
		want       string // the guess for old/a
	}{
		"of equal content":            {texts{"old/a": ten, "new/b": ten}, []string{"old/a"}, []string{"new/b"}, "[new/b] sure"},
		"and edited":                  {texts{"old/a": ten, "new/b": lines("a", 10, 3)}, []string{"old/a"}, []string{"new/b"}, "[new/b] sure"},
		"half of it edited":           {texts{"old/a": ten, "new/b": lines("a", 10, 1, 2, 3, 4, 5, 6)}, []string{"old/a"}, []string{"new/b"}, "[]"},
		"another one":                 {texts{"old/a": ten, "new/b": lines("b", 10)}, []string{"old/a"}, []string{"new/b"}, "[]"},
		"copied":                      {texts{"old/a": ten, "new/b": ten, "new/c": ten}, []string{"old/a"}, []string{"new/b", "new/c"}, "[new/b new/c]"},
		"with a copy, names kept":     {texts{"old/a": ten, "old/b": ten, "new/a": ten, "new/b": ten}, []string{"old/a", "old/b"}, []string{"new/a", "new/b"}, "[new/a] sure"},
		"with a copy, names lost":     {texts{"old/a": ten, "old/b": ten, "new/c": ten, "new/d": ten}, []string{"old/a", "old/b"}, []string{"new/c", "new/d"}, "[new/c new/d]"},
		"the best of two":             {texts{"old/a": ten, "new/b": lines("a", 10, 3), "new/c": lines("a", 10, 3, 4)}, []string{"old/a"}, []string{"new/b", "new/c"}, "[new/b] sure"},
		"or the one of the same name": {texts{"old/a": ten, "new/b": lines("a", 10, 3), "new/a": lines("a", 10, 3, 4)}, []string{"old/a"}, []string{"new/a", "new/b"}, "[new/a new/b]"},
		"two of one":                  {texts{"old/a": lines("a", 10, 3), "old/b": ten, "new/c": lines("a", 10, 4)}, []string{"old/a", "old/b"}, []string{"new/c"}, "[new/c]"},
		"of empty files":              {texts{"old/a": "", "new/b": ""}, []string{"old/a"}, []string{"new/b"}, "[]"},
		"a last line without an end":  {texts{"old/a": "same\nlong line, not the same", "new/b": "same\n"}, []string{"old/a"}, []string{"new/b"}, "[]"},
		"half of it without an end":   {texts{"old/a": "12345678\n1234567", "new/b": "abcdefgh\n1234567"}, []string{"old/a"}, []string{"new/b"}, "[]"},
	} {
		found, err := Find(c.texts.list(c.gone...), c.texts.list(c.come...), map[string]bool{"old/a": true}, c.texts, plenty())
		got := fmt.Sprint(found["old/a"].Places)
		if found["old/a"].Sure {
			got += " sure"
		}
		if err != nil || got != c.want {
			t.Errorf("a file moved, %s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// TestAttackTooMuchToCompare has too many files to compare. The limits are kept, and no move is
// sure.
func TestAttackTooMuchToCompare(t *testing.T) {
	all := texts{}
	var gone, come []string
	asked := map[string]bool{}
	for i := range 300 {
		from, to := fmt.Sprintf("old/%d", i), fmt.Sprintf("new/%d", i)
		all[from], all[to] = lines("a", 50, i%50), lines("a", 50, (i+1)%50, (i+7)%50)
		gone, come, asked[from] = append(gone, from), append(come, to), true
	}
	for name, budget := range map[string]*Budget{"pairs": {Pairs: 1000, Bytes: 1 << 30, Steps: 1 << 30}, "bytes": {1 << 30, 1000, 1 << 30}, "steps": {1 << 30, 1 << 30, 1000}} {
		found, err := Find(all.list(gone...), all.list(come...), asked, all, budget)
		if err != nil || len(found) != len(gone) {
			t.Fatal(len(found), err)
		}
		if last := found["old/299"]; !last.Unknown || last.Sure || last.Nowhere() {
			t.Errorf("%s: the last of them is %+v", name, last)
		}
		if budget.Pairs < -1000 || budget.Bytes < -10_000 || budget.Steps < -10_000 {
			t.Errorf("%s: %+v is left", name, budget)
		}
	}
}

// TestAlikeAsGit compares the similarity of files with git's, in percent.
func TestAlikeAsGit(t *testing.T) {
	g := gittest.New(t)
	want := map[string]score{}
	for i, pair := range [][2]string{
		{lines("a", 10), lines("a", 10, 1)}, {lines("a", 10), lines("a", 13, 2, 7, 8)}, {strings.Repeat("x", 1000), strings.Repeat("x", 700)},
		{lines("a", 10), strings.ReplaceAll(lines("a", 10, 1), "\n", "\r\n")}, {lines("a", 3) + "end", lines("a", 3, 1) + "end"},
		{"\x00" + lines("a", 20), "\x00" + lines("a", 20, 1, 2, 3)}, {strings.Repeat("ab\n", 100), strings.Repeat("ab\n", 60) + strings.Repeat("c\n", 30)},
		{lines("ä", 30) + strings.Repeat("z", 200), lines("ä", 30, 1, 2, 3) + strings.Repeat("z", 190)},
	} {
		for j, text := range pair {
			g.Write(fmt.Sprint([]string{"old", "new"}[j], i), text)
		}
		s, _ := alike(indexOf([]byte(pair[0])), indexOf([]byte(pair[1])))
		want[fmt.Sprint("old", i)] = s
		g.Git("add", fmt.Sprint("old", i))
	}
	old := g.Git("write-tree")
	seen := 0
	for i := range len(want) {
		g.Git("read-tree", "--empty")
		g.Git("add", fmt.Sprint("new", i))
		from := g.Git("write-tree")
		out := g.Git("diff-tree", "-M1%", "-r", "--diff-filter=R", old, from)
		found := regexp.MustCompile(`R(\d+)\t(\w+)\t(\w+)`).FindStringSubmatch(out)
		if found == nil || found[2][3:] != found[3][3:] {
			t.Logf("%d: git sees %s", i, out)
			continue
		}
		seen++
		percent, _ := strconv.Atoi(found[1])
		if s := want[found[2]]; percent < s.low*100/full || percent > s.high*100/full {
			t.Errorf("%d: git says %d%%, we %d to %d of %d", i, percent, s.low, s.high, full)
		}
	}
	if seen < 5 {
		t.Errorf("git saw only %d", seen)
	}
}
