package etcdquorum

import (
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Versions of etcd can follow each other under these rules (https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/):
//   - A member never changes to an older minor version.
//   - The minor versions of two members differ by at most one.
//   - A member changes to 3.6 only from 3.5.26 or newer. Older versions may have stored promotions and removals in a form that is wrong for 3.6, so
//     that removed members come back (https://etcd.io/blog/2025/zombie_members_upgrade/).

// release is a version of etcd.
type release struct{ minor, patch int }

var versionForm = pattern.Of(`^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$`)

// releaseOf reads a version; ok is false for other text.
func releaseOf(text string) (r release, ok bool) {
	parts := versionForm.FindStringSubmatch(text)
	if parts == nil {
		return release{}, false
	}
	n := func(i int) int { v, _ := strconv.Atoi(parts[i]); return v }
	return release{n(1)*1000 + n(2), n(3)}, true
}

// Rule is a rule that a version may break.
type Rule int

// The rules. Fits means that none is broken.
const (
	Fits Rule = iota
	NeverBack
	AllKnown
	OneMinorAtATime
	NewEnough
	OthersAreNewer
)

var words = map[Rule]string{
	NeverBack:       "MACHINE runs etcd RUNS, and etcd cannot be changed back to the older version WANTED",
	AllKnown:        "the change to etcd WANTED waits until the versions of all members are known, and MACHINE does not answer",
	OneMinorAtATime: "etcd must be upgraded one minor version at a time, and MACHINE still runs RUNS, so the change to WANTED waits",
	NewEnough:       "the change to etcd WANTED needs 3.5.26 or newer on all members, and MACHINE runs RUNS",
	OthersAreNewer:  "the other members run a newer etcd, which cannot be changed back to the older version WANTED",
}

// Verdict is the rule that a version breaks now, and the machine that is the reason for it.
type Verdict struct {
	Rule    Rule
	Machine string
	Runs    string
	Wanted  string
}

// String returns the reason why a machine keeps its present version; "" if it can change.
func (v Verdict) String() string {
	return strings.NewReplacer("MACHINE", v.Machine, "RUNS", v.Runs, "WANTED", v.Wanted).Replace(words[v.Rule])
}

// Follows returns the rule that forbids a machine to change to a version of etcd now; it is Fits if the machine can. It compares the versions of all
// members in the list that the machine knows reports. If the machine itself does not answer, the members that do answer decide.
func (v *Answer) Follows(version string, voices []*Answer, knows *Answer) Verdict {
	have, known := releaseOf(v.Status.Version)
	known = known && v.Answers
	want, given := releaseOf(version)
	breaks := func(r Rule, by *Answer) Verdict { return Verdict{r, by.Name, by.Status.Version, version} }
	switch {
	case !given, known && have.minor == want.minor:
		return Verdict{}
	case known && have.minor > want.minor:
		return breaks(NeverBack, v)
	}
	newer, seen := 0, 0
	for _, o := range voices {
		if knows.At(o.Address) == nil {
			continue
		}
		its, answered := releaseOf(o.Status.Version)
		switch answered = answered && o.Answers; {
		case !answered && known:
			return breaks(AllKnown, o)
		case !answered:
			continue
		case want.minor > its.minor+1:
			return breaks(OneMinorAtATime, o)
		case its.minor == 3005 && its.patch < 26 && want.minor > its.minor:
			return breaks(NewEnough, o)
		case its.minor > want.minor:
			newer++
		}
		seen++
	}
	if newer > 0 && newer == seen {
		return breaks(OthersAreNewer, v)
	}
	return Verdict{}
}
