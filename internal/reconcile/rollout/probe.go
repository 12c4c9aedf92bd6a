package rollout

import (
	"fmt"
	"time"
)

// Probe is how a member is asked whether it serves.
type Probe struct {
	Type       string // tcp, http, https or grpc
	Port       int
	Path, Host string // of HTTP
	Service    string // of gRPC; the server as a whole if empty
	// Interval is the least time between two questions, Timeout how long an answer may take, Delay how
	// long a member has worked before it is asked for the first time.
	Interval, Timeout, Delay time.Duration
	// Threshold is how many answers in a row make a member that served one that does not.
	Threshold int
}

// String names the probe: "http :80/health", "grpc :50051 shop.Cart".
func (p Probe) String() string {
	if p.Service != "" {
		return fmt.Sprintf("%s :%d %s", p.Type, p.Port, p.Service)
	}
	return fmt.Sprintf("%s :%d%s", p.Type, p.Port, p.Path)
}

// Record is what one probe has found out of one member. The zero value is of one that was never
// asked.
type Record struct {
	of       string // which incarnation of the member
	at       time.Time
	served   bool
	failures int       // in a row
	failing  time.Time // when the first of these was
	said     string
}

// Due reports whether the member is to be asked now. of tells an incarnation of the member from the one
// before, since is when it began to work.
func (r Record) Due(p Probe, of string, since, now time.Time) bool {
	return !now.Before(since.Add(p.Delay)) && (r.of != of || !now.Before(r.at.Add(p.Interval)))
}

// Asked is the record after an answer; nil is one of a member that serves.
func (r Record) Asked(of string, now time.Time, answer error) Record {
	if r.of != of {
		r = Record{of: of}
	}
	r.at = now
	if answer == nil {
		r.served, r.failures, r.said = true, 0, ""
		return r
	}
	if r.failures == 0 {
		r.failing = now
	}
	r.failures, r.said = r.failures+1, answer.Error()
	return r
}

// Finding is what probes have found out of a member; the zero value is of one that serves.
type Finding struct {
	Sick string // why it does not serve, or perhaps does not
	// Suspect is true of one that did serve, and of which it is not decided yet, Sure of one that has not served
	// so often in a row that it is.
	Suspect, Sure bool
	// Unproven is true of one that has not served since it began to work, as far as is known, Since when another
	// one ceased to.
	Unproven bool
	Since    time.Time
}

// Finding is what a probe has found out. A member that has not served yet needs one good answer; one that has is
// a suspect until so many bad ones.
func (r Record) Finding(p Probe, of string) Finding {
	switch {
	case r.of != of || r.at.IsZero():
		return Finding{Sick: fmt.Sprintf("%s was not asked yet", p), Unproven: true}
	case r.failures == 0:
		return Finding{}
	}
	found := Finding{Sick: fmt.Sprintf("%s: %s", p, r.said), Suspect: r.served && r.failures < p.Threshold, Sure: r.failures >= p.Threshold, Unproven: !r.served}
	if r.served {
		found.Since = r.failing
	}
	if r.failures > 1 {
		found.Sick += fmt.Sprintf(", %d times in a row", r.failures)
	}
	return found
}
