package rollout

import (
	"fmt"
	"time"
)

// Probe is a way to ask a member whether it serves.
type Probe struct {
	Type       string // tcp, http, https or grpc
	Port       int
	Path, Host string // path and host, for HTTP
	Service    string // service, for gRPC; "" for the server as a whole
	// Interval is the minimum time between two requests, and Timeout the longest time for an answer. Delay is the time from the start
	// of a member to the first request.
	Interval, Timeout, Delay time.Duration
	// Threshold is the number of bad answers in a row after which a member that served does not serve any more.
	Threshold int
}

// String returns a name of the probe: "http :80/health", "grpc :50051 shop.Cart".
func (p Probe) String() string {
	if p.Service != "" {
		return fmt.Sprintf("%s :%d %s", p.Type, p.Port, p.Service)
	}
	return fmt.Sprintf("%s :%d%s", p.Type, p.Port, p.Path)
}

// Record contains the results of one probe of one member. The zero value is for a member that was never asked.
type Record struct {
	of       string // identifies the object that did the member's work, and its start
	at       time.Time
	served   bool
	failures int       // number of failures in a row
	failing  time.Time // time of the first of these failures
	said     string
}

// Due reports whether the member must be asked now. worker identifies the object that does the member's work, and its start; since is the time
// of that start.
func (r Record) Due(p Probe, worker string, since, now time.Time) bool {
	return !now.Before(since.Add(p.Delay)) && (r.of != worker || !now.Before(r.at.Add(p.Interval)))
}

// Add returns the record after an answer. A nil answer means that the member serves.
func (r Record) Add(worker string, now time.Time, answer error) Record {
	if r.of != worker {
		r = Record{of: worker}
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

// Finding is the result of probes about a member. The zero value means that the member serves.
type Finding struct {
	Sick string // reason why it does not serve, or perhaps does not serve
	// Suspect is true if the member did serve and has failed too few times for a decision. Sure is true if the member has failed so often
	// in a row that it certainly does not serve.
	Suspect, Sure bool
	// Unproven is true if the member has not served since it began to run, as far as is known. If it has, Since is the time when it
	// stopped serving.
	Unproven bool
	Since    time.Time
}

// Finding returns the result of a probe. A member that has not served yet needs one good answer. A member that has served is a suspect
// until p.Threshold bad answers.
func (r Record) Finding(p Probe, worker string) Finding {
	switch {
	case r.of != worker || r.at.IsZero():
		return Finding{Sick: fmt.Sprintf("the agent has not probed %s yet", p), Unproven: true}
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
