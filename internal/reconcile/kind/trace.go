package kind

import "time"

// Trace says who changed an object in the cloud, as far as the cloud reports it.
type Trace struct {
	// When is the time of the change by the cloud's clock.
	When time.Time
	// The name or ID of the user who changed the object; "" if the cloud does not report it.
	Who string
	// The name of the action in the cloud's own words; "" if the cloud does not report it.
	What string
}

// TimeLayout is the format of times that people read.
const TimeLayout = "15:04 UTC, 2 Jan 2006"

// Text describes in words who changed the object and when. done is the verb, such as "changed".
func (t Trace) Text(done string) string {
	if t == (Trace{}) {
		return done + "; the cloud does not report who did it or when"
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
		text += "; the cloud does not report who did it"
	}
	return text
}
