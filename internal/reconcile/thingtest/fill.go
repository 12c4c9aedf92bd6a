package thingtest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Fill puts things into the world. Each line is "name owner field=value …",
// owner one of ours (mark of the present manifest), stale (of an older one),
// keep, half, other, nobody, alien (another project's). Among the fields are
// as=NAME (the mark is that of NAME), like=NAME (what was applied is what NAME is now), rival=STACK and kind=KIND of the mark.
func Fill(t *testing.T, w *World, cloud []string, want []kind.Desired) {
	t.Helper()
	for _, line := range cloud {
		words := strings.Fields(line)
		x := Thing{Name: words[0], Mine: words[1] != "alien"}
		owner := kind.OwnerText("s", Key(x.Name))
		switch words[1] {
		case "unfinished":
			x.Mark = &kind.Mark{Owner: owner, Applied: kind.Unfinished}
		case "ours":
			x.Mark = &kind.Mark{Owner: owner, Applied: "gone"}
			for _, d := range want {
				if d.Key.Name == x.Name {
					mark := d.PlainMark("s")
					x.Mark = &mark
				}
			}
		case "stale":
			x.Mark = &kind.Mark{Owner: owner, Applied: "older"}
		case "keep":
			x.Mark = &kind.Mark{Owner: owner, Applied: "older", Keep: true}
		case "half":
			x.Mark = &kind.Mark{Owner: owner}
		case "other":
			x.Mark = &kind.Mark{Owner: kind.OwnerText("other", Key(x.Name)), Applied: "x"}
		}
		for _, word := range words[2:] {
			field, value, _ := strings.Cut(word, "=")
			switch field {
			case "colour":
				x.Colour = value
			case "shape":
				x.Shape = value
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
				day, _ := strconv.Atoi(value)
				x.Created = time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
			case "rival":
				x.Mark.Rivals = kind.OwnerText(value, Key(x.Name))
			case "as":
				x.Mark.Owner = kind.OwnerText("s", Key(value))
			case "like":
				for _, d := range want {
					if d.Key.Name == value {
						x.Mark.Applied = d.PlainMark("s").Applied
					}
				}
			case "kind":
				x.Mark.Owner = kind.OwnerText("s", manifest.Key{Kind: value, Name: x.Name})
			}
		}
		w.Put(x)
	}
}
