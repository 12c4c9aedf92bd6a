package comment

import (
	"fmt"
	"strconv"
	"strings"
)

// Need is another pull request on which this one depends, or with which it is connected.
type Need struct {
	Number int    // 0 if Name does not refer to a pull request of this repository.
	Name   string // the name that the author wrote; may be empty if there is a number.
	URL    string // the address for people; "" if it is not known.
	Head   string // its commit, if the plan includes it.
	Fate   Fate
	// Inside is true if the head of this pull request contains a commit of the need. Then that commit is planned regardless of the fate.
	Inside bool
}

// Fate is the reason why a plan includes a need, or why it does not.
type Fate string

// These are the values of Fate. The plan includes the commit of a need with one of the first two.
const (
	Included Fate = "the plan includes it"
	Below    Fate = "its commit is part of this branch"
	Outdated Fate = "an older commit of it is part of this branch: rebase this branch"
	Merged   Fate = "it is merged"
	Closed   Fate = "it was closed without being merged"
	Astray   Fate = "it is for another branch"
	Foreign  Fate = "it is not open in this repository"
	NotOpen  Fate = "it is not an open pull request for this branch"
	Circular Fate = "it is part of a circle of dependencies"
	Strange  Fate = "its author has no permission to change the branch"
	Singly   Fate = "it has the same topic and is merged separately"
	Beyond   Fate = "there are too many"
)

// needs lists the pull requests on which this one depends.
func (p Page) needs() string {
	if len(p.Needs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("#### Depends on\n\n")
	for _, n := range p.Needs {
		fmt.Fprintf(&b, "- %s: %s\n", n.name(), n.fateText())
	}
	if p.MoreNeeds {
		b.WriteString("- There are more; the agent does not read them.\n")
	}
	return b.String() + "\n"
}

// fateText returns the fate of a need, and what follows from it for the plan.
func (n Need) fateText() string {
	switch n.Fate {
	case Included, Below, Outdated, Merged:
		return string(n.Fate)
	case Closed, Astray, Foreign, NotOpen, Circular, Strange, Singly, Beyond:
	}
	if n.Inside {
		return string(n.Fate) + "; a commit of it is part of this branch, and the plan includes that commit"
	}
	return string(n.Fate) + "; the plan does not include it"
}

// name returns the name of a need for people.
func (n Need) name() string {
	switch {
	case n.Number == 0:
		return code(n.Name)
	case n.URL == "":
		return strconv.Itoa(n.Number)
	}
	return strconv.Itoa(n.Number) + " (" + code(n.URL) + ")"
}

// included returns the names of the commits that are merged before the head.
func (p Page) included() (names []string) {
	for _, n := range p.Needs {
		if n.Fate == Included {
			names = append(names, strconv.Itoa(n.Number))
		}
	}
	return names
}
