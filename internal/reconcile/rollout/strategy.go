package rollout

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Type says when members are changed to match their group's template.
type Type string

// The types.
const (
	Rolling  Type = "Rolling"  // some members at a time, as long as enough serve
	OnDelete Type = "OnDelete" // a member is changed only once somebody has deleted it, or it is broken
	Recreate Type = "Recreate" // all members at the same time
)

// Strategy says how a group changes its members. The zero value changes one member at a time.
type Strategy struct {
	Type Type // "" means Rolling
	// Consents is true if the group's manifest contains a strategy. Then people have agreed that members are replaced.
	Consents bool
	// MaxUnavailable is the number of members that may be out of service because of the group itself. If it is nil, it is 1, or 0 with a
	// MaxSurge.
	MaxUnavailable *Amount
	// MaxSurge is the number of spare members that there may be while others are interrupted; nil means 0.
	MaxSurge *Amount
	// MinReady is the time for which a member must run without a fault before it counts as serving.
	MinReady time.Duration
	// Drain is the time before an interruption during which the member gets no new work.
	Drain time.Duration
	// Partition is the index, from 0, of the first member that is changed. From is the number of that member as people know it. The two
	// differ if the numbers have gaps.
	Partition, From int
	// Canary says which members are changed first, and for how long they must have served before others are changed.
	Canary Canary
	// PauseAfter is the number of members that are changed before the rollout pauses; 0 means all.
	PauseAfter int
	// Deadline is the time within which a changed member must serve. If it does not, the rollout has failed. 0 means that the caller
	// decides about the time.
	Deadline time.Duration
	// Rollback is true if a group whose rollout has failed goes back to its earlier version.
	Rollback bool
	// Heal configures how members are healed that do not serve.
	Heal Heal
}

// Canary is a trial of a change with some members. The zero value means that there is no trial.
type Canary struct {
	Members int
	For     time.Duration
}

// Amount is a number of members, or a share of them.
type Amount struct {
	Count   int
	Percent int // used if Share is true
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

// Unavailable returns the number of members that need not serve, in a group of that many members. A share is rounded down, and is at least
// 1 unless it is 0%.
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

// AtOnce returns the number of members that a bad change can take out of service. These are the canaries. Without canaries, they are the
// members that need not serve. The result is at least 1.
func (s Strategy) AtOnce(members int) int {
	n := s.Unavailable(members)
	if s.Canary.Members > 0 {
		n = s.Canary.Members
	}
	return max(1, min(n, members))
}

// Surge returns the maximum number of spare members for a group of that many members. A share is rounded up.
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

// Stuck reports whether the strategy never allows the interruption of a member that serves.
func (s Strategy) Stuck(members int) bool {
	return members > 0 && s.Type != OnDelete && s.Unavailable(members) == 0 && s.Surge(members) == 0
}
