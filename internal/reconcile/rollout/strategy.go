package rollout

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Type is when members are changed to match their group's template.
type Type string

// The types.
const (
	Rolling  Type = "Rolling"  // some at a time, as long as enough serve
	OnDelete Type = "OnDelete" // only once somebody has deleted them, or they are broken
	Recreate Type = "Recreate" // all at the same time
)

// Strategy is how a group changes its members. The zero value changes one at a time.
type Strategy struct {
	Type Type // "" is Rolling
	// Consents is true if the group's manifest says how members are changed, and so agrees that they are replaced.
	Consents bool
	// MaxUnavailable is how many members the group itself may keep from serving; nil is 1, or 0
	// with a MaxSurge.
	MaxUnavailable *Amount
	// MaxSurge is how many spare members there may be while others are interrupted; nil is 0.
	MaxSurge *Amount
	// MinReady is how long a member must have worked before it counts.
	MinReady time.Duration
	// Drain is the time before an interruption in which the member gets nothing new to do.
	Drain time.Duration
	// Partition is the index, from 0, of the first member that is changed. From is the same as a member number, as
	// people know it. The two differ if the numbers have gaps.
	Partition, From int
	// Canary are the members that are changed first, and how long they must have worked before
	// others are changed.
	Canary Canary
	// PauseAfter is how many members are changed before the others stay as they are; 0 is all.
	PauseAfter int
	// Deadline is how long a changed member may take until it serves. Then the rollout has failed; 0 if the
	// caller has a time of its own.
	Deadline time.Duration
	// Rollback says whether the group then goes back to its earlier form.
	Rollback bool
	// Heal is how members are brought back that do not serve.
	Heal Heal
}

// Canary is a trial of a change. The zero value is none.
type Canary struct {
	Members int
	For     time.Duration
}

// Amount is a number of members, or a share of them.
type Amount struct {
	Count   int
	Percent int // when Share
	Share   bool
}

// ParseAmount reads "2" or "25%".
func ParseAmount(text string) (Amount, error) {
	number, share := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 0 || share && n > 100:
		return Amount{}, fmt.Errorf("%q is neither a number like 2 nor a share like 25%%", text)
	case share:
		return Amount{Percent: n, Share: true}, nil
	}
	return Amount{Count: n}, nil
}

// Unavailable returns how many of a number of members need not serve. A share is rounded down,
// and is at least 1 unless it is 0%.
func (s Strategy) Unavailable(members int) int {
	switch a := s.MaxUnavailable; {
	case s.Type == Recreate:
		return members
	case a == nil && s.Surge(members) > 0:
		return 0
	case a == nil:
		return 1
	case a.Share && a.Percent > 0:
		return max(1, members*a.Percent/100)
	default:
		return a.Count
	}
}

// AtOnce returns how many of a number of members a bad change can take away. These are the canaries or, without
// canaries, the members that need not serve; at least 1.
func (s Strategy) AtOnce(members int) int {
	n := s.Unavailable(members)
	if s.Canary.Members > 0 {
		n = s.Canary.Members
	}
	return max(1, min(n, members))
}

// Surge returns how many spare members there may be in addition to a number of members. A share is rounded up.
func (s Strategy) Surge(members int) int {
	switch a := s.MaxSurge; {
	case a == nil || s.Type == Recreate || s.Type == OnDelete:
		return 0
	case a.Share:
		return (members*a.Percent + 99) / 100
	default:
		return a.Count
	}
}

// Stuck reports whether no member that serves could ever be interrupted.
func (s Strategy) Stuck(members int) bool {
	return members > 0 && s.Type != OnDelete && s.Unavailable(members) == 0 && s.Surge(members) == 0
}
