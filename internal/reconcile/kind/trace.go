package kind

import "time"

// Trace is who changed an object in the cloud, as far as the cloud says.
type Trace struct {
	// When it was changed, as the cloud's clock has it.
	When time.Time
	// Who did it: a name, or the ID of a user; "" when the cloud does not report it.
	Who string
	// What was done, as the cloud calls it; "" when it does not report it.
	What string
}

// TimeLayout is how people read times.
const TimeLayout = "15:04 UTC, 2 Jan 2006"

// Of is the trace of what was done, such as "changed", in words.
func (t Trace) Of(done string) string {
	if t == (Trace{}) {
		return done + "; by whom and when is unknown to this cloud"
	}
	text := done
	if t.Who != "" {
		text += " by " + t.Who
	}
	if !t.When.IsZero() {
		text += " at " + t.When.UTC().Format(TimeLayout)
	}
	if t.What != "" {
		text += " (" + t.What + ")"
	}
	if t.Who == "" {
		text += "; by whom is unknown to this cloud"
	}
	return text
}
