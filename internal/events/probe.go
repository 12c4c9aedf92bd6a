package events

import "time"

// These are the pauses between probes of a service. While nothing changes, they grow up to calmProbe if there is one question, so that a change is noticed
// within 8 s. Two questions take turns, so their pauses stay short. After a refusal they grow from refusedProbe, or from the
// time that the service has asked for, up to longestProbe.
const (
	busyProbe    = 5 * time.Second
	calmProbe    = 8 * time.Second
	refusedProbe = time.Minute
	longestProbe = 15 * time.Minute
)

// ProbePace decides when a project is probed. The zero value probes at once.
type ProbePace struct {
	next     time.Time
	pause    time.Duration
	failures int
}

// Due reports whether a probe is due.
func (p *ProbePace) Due(now time.Time) bool { return !now.Before(p.next) }

// Next returns the time at which the next probe is due; zero before the first one.
func (p *ProbePace) Next() time.Time { return p.next }

// Answered records a probe that was answered. moved is true if it has noticed a change. questions is the number of questions that take turns.
func (p *ProbePace) Answered(now time.Time, moved bool, questions int) {
	p.failures = 0
	if p.pause = min(max(p.pause*5/4, busyProbe), calmProbe); moved || questions > 1 {
		p.pause = busyProbe
	}
	p.next = now.Add(p.pause)
}

// Skipped records that there is nothing to ask now.
func (p *ProbePace) Skipped(now time.Time) { p.next = now.Add(busyProbe) }

// Failed records a probe that failed. after is the time that the service has asked for; 0 for none.
func (p *ProbePace) Failed(now time.Time, after time.Duration) {
	pause := refusedProbe
	for range min(p.failures, 10) {
		pause *= 2
	}
	p.failures++
	p.pause = 0
	p.next = now.Add(min(max(pause, after), longestProbe))
}
