package thingtest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Filled returns a world, and the objects that a repository wants in it. repo has the lines for [World.Wanted], and cloud has the lines for
// [Fill].
func Filled(t *testing.T, repo, cloud []string) (*World, []kind.Desired) {
	t.Helper()
	w := New()
	want, err := w.Wanted(repo...)
	if err != nil {
		t.Fatal(err)
	}
	Fill(t, w, cloud, want)
	return w, want
}

// Fill puts things into the world. Each line is "name owner field=value …".
//
// The word owner chooses the mark:
//
//	ours        mark of the present manifest
//	stale       mark of an older manifest
//	keep        older mark; its manifest kept the thing
//	detach      older mark; its manifest let the thing go
//	loses       older mark; its manifest allowed the loss of data
//	half        mark without a digest
//	unfinished  mark of an unfinished creation
//	other       mark of another stack
//	nobody      no mark
//	alien       no mark; the thing is in another project
//
// Some fields change the mark: as=NAME sets the mark of NAME, like=NAME sets the digest of NAME's present manifest. rival=STACK and
// kind=KIND change it, too.
func Fill(t *testing.T, w *World, cloud []string, want []kind.Desired) {
	t.Helper()
	for _, line := range cloud {
		words := strings.Fields(line)
		x := Thing{Name: words[0], Mine: words[1] != "alien"}
		x.Mark = markOf(x.Name, words[1], want)
		for _, word := range words[2:] {
			field, value, _ := strings.Cut(word, "=")
			x.set(field, value)
			x.remark(field, value, want)
		}
		w.Put(x)
	}
}

// markOf returns the mark for an owner word of a line, or nil if there is none.
func markOf(name, owner string, want []kind.Desired) *kind.Mark {
	ours := ownertext.Of("s", Key(name))
	switch owner {
	case "unfinished":
		return &kind.Mark{Owner: ours, Applied: kind.Unfinished}
	case "ours":
		if mark, ok := present(name, want); ok {
			return &mark
		}
		return &kind.Mark{Owner: ours, Applied: "gone"}
	case "stale":
		return &kind.Mark{Owner: ours, Applied: "older"}
	case "loses":
		return &kind.Mark{Owner: ours, Applied: "older", Loses: true}
	case "keep":
		return &kind.Mark{Owner: ours, Applied: "older", Keep: true}
	case "detach":
		return &kind.Mark{Owner: ours, Applied: "older", Keep: true, Detach: true}
	case "half":
		return &kind.Mark{Owner: ours}
	case "other":
		return &kind.Mark{Owner: ownertext.Of("other", Key(name)), Applied: "x"}
	}
	return nil
}

// present returns the mark that a thing has after its manifest was applied.
func present(name string, want []kind.Desired) (kind.Mark, bool) {
	i := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.Name == name })
	if i < 0 {
		return kind.Mark{}, false
	}
	return want[i].PlainMark("s"), true
}

// set sets a field of the thing itself.
func (x *Thing) set(field, value string) {
	switch field {
	case "colour":
		x.Colour = value
	case "shape":
		x.Shape = value
	case "weight":
		x.Weight = value
	case "atop":
		x.On = []string{value}
	case "near":
		x.Near = strings.Split(value, ",")
	case "beside":
		x.Beside = []string{value}
	case "building":
		x.Building = 9
	case "leaving":
		x.Leaving = 9
	case "failed":
		x.Failed = true
	case "used":
		x.Used = true
	case "down":
		x.Down = value
	case "copied":
		x.Copied = "was restored from backup " + value
	case "created":
		x.Created = dayOf(value)
	case "updated":
		x.Updated = dayOf(value)
	}
}

func dayOf(value string) time.Time {
	day, _ := strconv.Atoi(value)
	return time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
}

// remark sets a field of the thing's mark.
func (x *Thing) remark(field, value string, want []kind.Desired) {
	switch field {
	case "rival":
		x.Mark.Rivals = ownertext.Of(value, Key(x.Name))
	case "as":
		x.Mark.Owner = ownertext.Of("s", Key(value))
	case "like":
		if mark, ok := present(value, want); ok {
			x.Mark.Applied = mark.Applied
		}
	case "kind":
		x.Mark.Owner = ownertext.Of("s", manifest.Key{Kind: value, Name: x.Name})
	}
}
