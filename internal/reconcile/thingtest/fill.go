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

// Filled is a world, and what a repository wants of it: repo as [World.Wanted] reads it, cloud as [Fill] does.
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

// Fill puts things into the world. Each line is "name owner field=value …",
// owner one of ours (mark of the present manifest), stale (of an older one),
// keep, detach, loses (the older manifest let its data be lost), half, other, nobody, alien (another project's). Among the fields are
// as=NAME (the mark is that of NAME), like=NAME (what was applied is what NAME is now), rival=STACK and kind=KIND of the mark.
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

// markOf is the mark of a thing whose owner a line names; nil for none.
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

// present is the mark that a thing has once its manifest is applied.
func present(name string, want []kind.Desired) (kind.Mark, bool) {
	i := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.Name == name })
	if i < 0 {
		return kind.Mark{}, false
	}
	return want[i].PlainMark("s"), true
}

// set sets what a field of a line says of the thing itself.
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
		x.Near = []string{value}
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

// remark sets what a field of a line says of the thing's mark.
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
