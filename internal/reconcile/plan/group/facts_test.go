package group_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// facts adds the further lines of a story to the input. Times are given as durations before or after now.
type facts struct {
	t  *testing.T
	in *world.Input
}

// add adds a line to the input. The first word says which fact it is.
func (f facts) add(words []string) {
	switch about, rest := words[0], words[1:]; about {
	case "unlisted":
		f.in.Have[rest[0]] = kind.Collection{Err: kind.ErrUnanswered}
	case "timeless":
		f.in.Now = time.Time{}
	case "strategy":
		for i := range f.in.Want {
			if s := f.in.Want[i].Rollout; s != nil {
				f.each(rest, func(field, value string) { f.strategy(s, field, value) })
			}
		}
	case "live":
		live := f.live(rest[0])
		f.each(rest[1:], func(field, value string) { f.set(live, field, value) })
	case "sick":
		found := rollout.Finding{Sick: "it says no"}
		f.each(rest[1:], func(field, value string) {
			found.Suspect, found.Sure, found.Unproven = found.Suspect || field == "suspect", found.Sure || field == "sure", found.Unproven || field == "unproven"
			if field == "since" {
				found.Since = f.at(value)
			}
		})
		f.in.Sick[f.member(rest[0])] = found
	case "patient":
		var p rollout.Patient
		f.each(rest[1:], func(field, value string) {
			switch field {
			case "down":
				p.Down = value
			case "silent":
				p.Silent = true
			case "since":
				p.Since = f.at(value)
			case "healed":
				p.Healed = append(p.Healed, f.at(value))
			}
		})
		f.in.Patients[f.member(rest[0])] = p
	case "served":
		served := plan.Served{ID: f.live(rest[0]).ID}
		f.each(rest[1:], func(field, value string) {
			if field == "until" {
				served.Until = f.at(value)
			} else {
				served.ID = value
			}
		})
		f.in.Seen.Served[f.member(rest[0])] = served
	case "served-of": // the member's object does not exist any more
		f.in.Seen.Served[f.member(rest[0])] = plan.Served{ID: rest[1]}
	case "quiet":
		f.in.Seen.Quiet[plan.Quiet{Front: f.key(rest[0]), Member: f.member(rest[1])}] = f.at(rest[2])
	case "fallback":
		f.in.Fallbacks = map[manifest.Key]plan.Fallback{f.key(rest[0]): plan.NewFallback(plan.Failing{Group: f.key(rest[0])}, "before", f.in.Want)}
	default:
		f.t.Fatalf("no fact is called %q", about)
	}
}

func (f facts) each(words []string, do func(field, value string)) {
	for _, word := range words {
		field, value, _ := strings.Cut(word, "=")
		do(field, value)
	}
}

func (f facts) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

func (f facts) at(text string) time.Time { return now.Add(f.duration(text)) }

func (f facts) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// live returns the object of the cloud with that name.
func (f facts) live(name string) *kind.Live {
	for _, c := range f.in.Have {
		if i := slices.IndexFunc(c.Items, func(l *kind.Live) bool { return l.Name == name }); i >= 0 {
			return c.Items[i]
		}
	}
	f.t.Fatalf("nothing is called %q", name)
	return nil
}

// key returns the key of the manifest with that name. If there is none, it is the key of a Thing.
func (f facts) key(name string) manifest.Key {
	if i := slices.IndexFunc(f.in.Want, func(d kind.Desired) bool { return d.Key.Name == name }); i >= 0 {
		return f.in.Want[i].Key
	}
	return thingtest.Key(name)
}

// member returns the key of the member with that name.
func (f facts) member(name string) manifest.Key {
	for _, d := range f.in.Want {
		if d.Key.Name == name && (d.Parent.Kind == "Flock" || d.Parent.Kind == "Camp") {
			return d.Key
		}
	}
	return thingtest.Key(name)
}

// set changes a field of an object in the cloud.
func (f facts) set(l *kind.Live, field, value string) {
	switch field {
	case "since":
		l.Since = f.at(value)
	case "created":
		l.Created = f.at(value)
	case "updated":
		l.Updated = f.at(value)
	case "phase":
		l.Phase = kind.Phase(value)
	case "token":
		l.Tokens = append(l.Tokens, value)
	case "lag":
		l.Lag = f.duration(value)
	case "stay":
		l.Interruptible.Stay = value
	case "last":
		l.Interruptible.Last = true
	case "unmarked":
		l.Mark = nil
	case "was": // the kind in the object's mark
		l.Mark.Owner = ownertext.Of("s", manifest.Key{Group: "test", Kind: value, Namespace: "default", Name: l.Name})
	case "refused":
		l.Mark.Refused = f.in.Want[slices.IndexFunc(f.in.Want, func(d kind.Desired) bool { return d.Key.Name == value && !d.Virtual })].Digest
	case "unwell": // a name, or a token
		l.Unwell = append(l.Unwell, f.token(value))
	case "loose": // a used object from which the cloud itself detaches this one
		l.AutoDetached = append(l.AutoDetached, f.token(value))
	case "near":
		f.near(l, value)
	case "atop":
		state := l.State.(*thingtest.Thing)
		l.Uses, state.On = append(l.Uses, f.token(value)), append(state.On, f.token(value))
	case "drained": // NAME:SINCE
		name, since, _ := strings.Cut(value, ":")
		state := l.State.(*thingtest.Thing)
		state.Says += " " + f.token(name)
		l.Drained[f.token(name)], l.Mark.Applied = f.at(since), kind.Unfinished // the object sends less traffic than its manifest says
	default:
		f.t.Fatalf("nothing has a %q", field)
	}
}

// near makes an object send traffic to others.
func (f facts) near(l *kind.Live, names string) {
	state := l.State.(*thingtest.Thing)
	l.Drained = map[string]time.Time{}
	for _, name := range strings.Split(names, ",") {
		l.Uses, state.Near = append(l.Uses, f.token(name)), append(state.Near, f.token(name))
	}
}

// token returns the ID of the Thing with that name, or the text itself if there is none.
func (f facts) token(name string) string {
	if i := slices.IndexFunc(f.in.Have["Thing"].Items, func(l *kind.Live) bool { return l.Name == name }); i >= 0 {
		return f.in.Have["Thing"].Items[i].ID
	}
	return name
}

// strategy sets a field of a group's strategy.
func (f facts) strategy(s *rollout.Strategy, field, value string) {
	switch field {
	case "type":
		s.Type = rollout.Type(value)
	case "unavailable":
		s.MaxUnavailable = &rollout.Amount{Count: f.number(value)}
	case "ready":
		s.MinReady = f.duration(value)
	case "drain":
		s.Drain = f.duration(value)
	case "partition":
		s.Partition, s.From = f.number(value), f.number(value)
	case "pause":
		s.PauseAfter = f.number(value)
	case "canary":
		s.Canary = rollout.Canary{Members: 1, For: f.duration(value)}
	case "deadline":
		s.Deadline = f.duration(value)
	case "back":
		s.Rollback = true
	case "consents":
		s.Consents = true
	case "heal": // the value is the time after which members are healed
		s.Heal = rollout.Heal{Down: map[string]rollout.Cure{"stopped": thingtest.Restart, "broken": rollout.Replace}, Silent: thingtest.Restart,
			After: f.duration(value), PerHour: 3, MaxSick: rollout.Amount{Percent: 50, Share: true}}
	default:
		f.t.Fatalf("no strategy has a %q", field)
	}
}
