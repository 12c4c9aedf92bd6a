package thingtest

import (
	"fmt"

	"pgregory.net/rapid"
)

// Lines draws a repository and a cloud, as lines for [World.Wanted] and [Fill]. Half of the repositories have a group. There are few names,
// so that marks, names and claims collide. Objects refer only to earlier ones.
func Lines(t *rapid.T) (repo, cloud []string) {
	d := drawn{t}
	for i := range rapid.IntRange(0, 6).Draw(t, "objects") {
		repo = append(repo, d.manifest(i))
	}
	names := []string{"n%d", "n%d", "old-n%d", "stranger"}
	if rapid.Bool().Draw(t, "flock") {
		repo, names = append(repo, d.flock(len(repo))), append(names, "sheep-%d", "sheep-%d", "sheep-%d", "sheep-spare-%d")
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "things") {
		cloud = append(cloud, d.one(names...)+" "+d.thing(i))
	}
	return repo, cloud
}

type drawn struct{ t *rapid.T }

// one draws one of several texts. A %d in it becomes a small number.
func (d drawn) one(texts ...string) string {
	text := rapid.SampledFrom(texts).Draw(d.t, "text")
	for i := range text {
		if text[i] == '%' {
			return fmt.Sprintf(text, rapid.IntRange(0, 6).Draw(d.t, "number"))
		}
	}
	return text
}

// some draws each of several texts with a probability of about one in ten.
func (d drawn) some(texts ...string) (line string) {
	for _, text := range texts {
		if rapid.IntRange(0, 9).Draw(d.t, "chance") == 5 {
			line += " " + d.one(text)
		}
	}
	return line
}

func (d drawn) manifest(i int) string {
	name := fmt.Sprintf("n%d", i)
	if rapid.IntRange(0, 7).Draw(d.t, "import") == 0 {
		return name + " " + d.one("import=old-n%d", "import=stranger")
	}
	line := name + " colour=" + d.one("red", "blue") + " shape=" + d.one("round", "flat") + d.some(`weight="1"`)
	if i > 0 {
		for _, field := range []string{"atop", "near"} {
			if rapid.IntRange(0, 2).Draw(d.t, field) == 0 {
				line += fmt.Sprintf(" %s=n%d", field, rapid.IntRange(0, i-1).Draw(d.t, "target"))
			}
		}
	}
	switch rapid.IntRange(0, 9).Draw(d.t, "origin") {
	case 0:
		line += " " + d.one("adopt=id-00%d")
	case 1:
		line += " take=true"
	case 2:
		line += " moved-from=Thing/old-" + name
	}
	return line + d.some("suspend=true", "prune=false", "replace=allow", "drift=report", "on-delete=detach", "ignore-fields=spec.resource.colour")
}

// flock draws a group of up to five members.
func (d drawn) flock(objects int) string {
	line := fmt.Sprintf("flock sheep count=%d", rapid.IntRange(0, 5).Draw(d.t, "count")) + " colour=" + d.one("red", "blue") + " shape=" + d.one("round", "flat")
	if objects > 0 && rapid.Bool().Draw(d.t, "atop") {
		line += fmt.Sprintf(" atop=n%d", rapid.IntRange(0, objects-1).Draw(d.t, "target"))
	}
	return line + " " + d.one("down=1", "down=2", "surge=1", "surge=2") + d.some("from=2", "ready=10", "asked=true", "heal=true", "try=5", "says=true", "own=true")
}

// thing draws the owner and the fields of a thing in the cloud. The thing uses some of the things that were drawn before.
func (d drawn) thing(before int) string {
	owner := d.one("ours", "ours", "stale", "keep", "detach", "half", "half", "unfinished", "other", "nobody", "alien")
	line := owner + " colour=" + d.one("red", "blue") + " shape=" + d.one("round", "flat")
	line += d.some("building=yes", "leaving=yes", "failed=yes", "used=yes", "down=stopped", "created=1%d", "updated=1%d", "copied=b%d")
	if owner == "nobody" || owner == "alien" {
		return line // the line has no mark
	}
	for _, field := range []string{"atop", "near"} {
		if before > 0 && rapid.IntRange(0, 9).Draw(d.t, field) == 5 {
			line += fmt.Sprintf(" %s=id-%03d", field, rapid.IntRange(1, before).Draw(d.t, "used"))
		}
	}
	return line + d.some("rival=other", "kind=Other", "like=n%d")
}
