package gerrit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// needs returns the needs of a change, read from the list of open changes.
func (l lab) needs(t *testing.T, number int) []forge.Need {
	t.Helper()
	list, err := l.forge.OpenPulls(t.Context(), l.Branch())
	i := slices.IndexFunc(list, func(p forge.Pull) bool { return p.Number == number })
	if err != nil || i < 0 {
		t.Fatalf("%d is not in %+v, %v", number, list, err)
	}
	return list[i].Needs
}

// change uploads a change of a maintainer.
func (l lab) change(t *testing.T, name string) int {
	t.Helper()
	l.Push(t, name, map[string]string{name + ".yaml": "a: 1\n"})
	return l.OpenPull(t, name, l.Branch(), name)
}

// A commit message names other changes in lines that Zuul can read, too. The address of a change on
// another server is not a change here.
func TestDependsOn(t *testing.T) {
	l := start(t)
	first, second, third := l.change(t, "first"), l.change(t, "second"), l.change(t, "third")
	l.Hide(second)
	site := strings.TrimPrefix(l.URL, "http://")
	for name, want := range map[string]int{
		l.ChangeID(first):                               first,
		l.ChangeID(second):                              0,
		"I" + strings.Repeat("0", 40):                   0,
		l.URL + "/1":                                    1,
		l.URL + "/c/1":                                  1,
		l.URL + "/#/c/1/":                               1,
		l.URL + "/c/" + l.Project + "/+/1":              1,
		l.URL + "/c/" + l.Project + "/+/1/3":            1,
		"https://" + strings.ToUpper(site) + "/77":      77,
		l.URL + "/2":                                    0, // a private change
		l.URL + "/c/other/project/+/1":                  0,
		l.URL + "/c/" + l.Project + "/+/x":              0,
		l.URL + "/c/" + l.Project + "/+/99999999999999": 0,
		l.URL + ".evil.example/1":                       0,
		"https://github.com/acme/cloud/pull/1":          0,
		site + "/1":                                     0,
		"x":                                             0,
	} {
		l.Message(third, "Depends-On: "+name)
		if got := l.needs(t, third); len(got) != 1 || got[0] != (forge.Need{Number: want, Name: name, Bond: forge.Named}) {
			t.Errorf("%s is %+v; want %d", name, got, want)
		}
	}
	l.Message(third, "depends-on:   "+l.ChangeID(first)+"  ", "Depends-On: "+l.ChangeID(first), "See Depends-On: x", "Depends-On: two words", "Depends-On:", "Depends-On: "+strings.Repeat("x", 301))
	if got := l.needs(t, third); len(got) != 1 || got[0].Number != first {
		t.Errorf("%+v; want the first change, once", got)
	}
}

// A change is found if a commit contains its current patch set or an older one. Gerrit is asked about each
// older patch set once.
func TestRelationChains(t *testing.T) {
	l := start(t)
	first := l.change(t, "first")
	below := l.Head(first)
	second := l.OpenUpon(below, forgetest.Maintainer, file("a: 2\n"))
	third := l.OpenUpon(l.Head(second), forgetest.Maintainer, file("a: 3\n"))
	chain := func() {
		t.Helper()
		for number, want := range map[int][]forge.Need{
			first: nil, second: {{Number: first, Bond: forge.Contained, Commit: below}}, third: {{Number: second, Bond: forge.Contained, Commit: l.Head(second)}},
		} {
			if got := l.needs(t, number); !slices.Equal(got, want) {
				t.Errorf("%d needs %+v; want %+v", number, got, want)
			}
		}
	}
	chain()
	l.Push(t, "first", file("a: 4\n"))
	chain()
	served := l.Served()
	chain()
	if n := l.Served() - served; n != 3 {
		t.Errorf("%d requests for three lists", n)
	}
}

// Changes of a topic are bound together if Gerrit submits them together. Changes of strangers are not, because a stranger can set any topic.
func TestTopics(t *testing.T) {
	for whole, bond := range map[bool]forge.Bond{true: forge.Together, false: forge.Related} {
		l := start(t)
		l.SubmitTopics(whole)
		var strangers []int
		for i := range forge.MaxNeeds + 5 {
			strangers = append(strangers, l.Fork(t, "stranger", fmt.Sprint(i), file(fmt.Sprintf("a: %d\n", i))))
		}
		first, second := l.change(t, "first"), l.change(t, "second")
		hidden := l.change(t, "hidden")
		l.Hide(hidden)
		l.SetTopic("t", append(strangers, first, second, hidden)...)
		got := l.needs(t, second)
		if len(got) != 1 || got[0] != (forge.Need{Number: first, Bond: bond}) {
			t.Errorf("submitted together %v: %+v", whole, got)
		}
	}
}

// If a message names many changes, and many changes have unknown parents, only a limited number of them is
// used and requested.
func TestAttackManyDependencies(t *testing.T) {
	testcost.Long(t)
	l := start(t)
	first := l.change(t, "first")
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("Depends-On: %s/%d", l.URL, i+2))
	}
	l.Message(first, lines...)
	if got := l.needs(t, first); len(got) != forge.MaxNeeds+1 {
		t.Errorf("%d needs are named", len(got))
	}
	for i := range 30 {
		l.OpenUpon(l.Push(t, fmt.Sprint("upon-", i), file(fmt.Sprint(i))), forgetest.Maintainer, file("a: 2\n"))
	}
	served := l.Served()
	l.needs(t, first)
	if n := l.Served() - served; n != 1+10 {
		t.Errorf("%d requests; want the list, and one for each of ten parents", n)
	}
}
