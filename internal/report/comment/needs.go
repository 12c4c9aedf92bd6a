package comment

import (
	"fmt"
	"strconv"
	"strings"
)

// Need is another pull request that this one depends on, or has to do with.
type Need struct {
	Number int    // 0 where Name leads to none of this repository.
	Name   string // how the author calls it; may be empty where there is a number.
	URL    string // for people; "" when it is not known.
	Head   string // its commit, where the plan includes it.
	Fate   Fate
}

// Fate is what became of a need in a plan.
type Fate string

// The fates. The plan includes nothing of the others than the first two.
const (
	Included Fate = "the plan includes it"
	Below    Fate = "its commit comes with this one"
	Outdated Fate = "an older commit of it comes with this one: rebase this one"
	Merged   Fate = "it is merged"
	Closed   Fate = "it was closed without being merged; the plan does without it"
	Astray   Fate = "it asks for another branch; the plan does without it"
	Foreign  Fate = "it is not open in this repository; the plan does without it"
	NotOpen  Fate = "it is not open into this branch; the plan does without it"
	Circular Fate = "it is part of a circle of dependencies; the plan does without it"
	Strange  Fate = "it comes from somebody who may not change the branch; the plan does without it"
	Singly   Fate = "it has the same topic and is merged by itself; the plan does without it"
	Beyond   Fate = "it is one of too many; the plan does without it"
)

// needs lists what this depends on.
func (p Page) needs() string {
	if len(p.Needs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("#### Depends on\n\n")
	for _, n := range p.Needs {
		fmt.Fprintf(&b, "- %s: %s\n", n.called(), n.Fate)
	}
	if p.MoreNeeds {
		b.WriteString("- There are more; they are not looked at.\n")
	}
	return b.String() + "\n"
}

// called is the name of a need, for people.
func (n Need) called() string {
	switch {
	case n.Number == 0:
		return code(n.Name)
	case n.URL == "":
		return strconv.Itoa(n.Number)
	}
	return strconv.Itoa(n.Number) + " (" + code(n.URL) + ")"
}

// included names what is merged before the head.
func (p Page) included() (names []string) {
	for _, n := range p.Needs {
		if n.Fate == Included {
			names = append(names, strconv.Itoa(n.Number))
		}
	}
	return names
}
