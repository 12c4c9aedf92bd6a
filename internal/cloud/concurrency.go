package cloud

import "time"

// concurrency decides how many requests an endpoint of a service may have in flight at the same time, its allowance. The allowance grows by one while requests
// succeed, and falls by a part when the service is overloaded (additive increase, multiplicative decrease). The type does no I/O and reads no clock.
//
//	the answer                                    the allowance
//	in time, with more than half of it in flight  grows by 1; after the first fall by 1 for as many answers as it allows
//	429, 502, 503, 504, or none in time           is halved
//	slow: much slower than usual for its class    falls by a quarter if most of the counted answers are slow (see seen)
//
// The answers to requests that were sent before a fall do not cause another one. The allowance is never less than 1 or more than its ceiling.
type concurrency struct {
	at, ceiling float64
	fallen      time.Time // zero before the first fall
	seen, slow  int       // answers, and slow ones, since the last fall or the last decision about slow answers
	usual       map[string]*usual
}

// outcome is what an answer says about the load of its service.
type outcome int

const (
	unclear    outcome = iota // it says nothing about the load
	served                    // the request was handled
	overloaded                // the service has too much to do, or gave no answer in time
)

// exchange is a request that has ended.
type exchange struct {
	class        string // requests of one class usually take about the same time; "" for none
	began, ended time.Time
	beside       int // requests in flight when it began, with itself
	outcome      outcome
}

const (
	// firstAllowance is the allowance of an endpoint of which nothing is known. It is the number of steps that a stack carries out at a time.
	firstAllowance = 10
	// slowFactor and slowMargin bound how much longer than usual a request may take. A service with n workers needs about twice as long for
	// each of 2n requests as for one, so it stays busy. Short delays do not count, because they cost nothing.
	slowFactor = 3
	slowMargin = 100 * time.Millisecond
	// leastRound is the least number of answers after which it is decided whether most of them were slow.
	leastRound = 10
	// maxClasses bounds the memory for usual times. The times of further classes are not judged.
	maxClasses = 64
)

func newConcurrency(ceiling int) concurrency {
	most := float64(max(1, ceiling))
	return concurrency{at: min(firstAllowance, most), ceiling: most, usual: map[string]*usual{}}
}

// now is how many requests may be in flight.
func (a *concurrency) now() int { return int(a.at) }

// note changes the allowance after a request.
func (a *concurrency) note(x exchange) {
	switch x.outcome {
	case overloaded:
		a.fall(x, 0.5)
	case served:
		slow := a.isSlow(x)
		a.seen++
		if slow {
			a.slow++
		} else if 2*x.beside > a.now() {
			a.grow()
		}
		if a.seen < max(leastRound, 2*a.now()) {
			return
		}
		if 2*a.slow > a.seen {
			a.fall(x, 0.75)
		}
		a.seen, a.slow = 0, 0
	case unclear: // it says nothing about the load
	}
}

func (a *concurrency) grow() {
	by := 1.0
	if !a.fallen.IsZero() {
		by = 1 / a.at
	}
	a.at = min(a.at+by, a.ceiling)
}

func (a *concurrency) fall(x exchange, part float64) {
	if x.began.Before(a.fallen) {
		return
	}
	a.at, a.fallen = max(1, a.at*part), x.ended
	a.seen, a.slow = 0, 0
}

// isSlow compares a request with the usual time of its class, and learns from it.
func (a *concurrency) isSlow(x exchange) bool {
	if x.class == "" {
		return false
	}
	u, took := a.usual[x.class], x.ended.Sub(x.began)
	if u == nil {
		if len(a.usual) < maxClasses {
			a.usual[x.class] = &usual{best: took, since: x.ended}
		}
		return false
	}
	slow := took > slowFactor*u.best+slowMargin
	u.learn(took, x.ended, x.beside <= 1+a.now()/8)
	return slow
}

// usual is how long requests of a class take while the service has little to do.
type usual struct {
	best  time.Duration // the time that counts
	next  time.Duration // the shortest time of a calm request after since; 0 if there was none
	calm  int           // calm requests after since
	since time.Time     // when best was last replaced, or first set
}

const (
	// usualLasts is how long a shortest time counts. Then the shortest time since replaces it, because lists grow, and services become slower.
	usualLasts = 10 * time.Second
	// leastCalm is how many calm requests are needed for that.
	leastCalm = 3
)

// learn notes the time of a request. A calm request is one that had few others beside it. Only calm requests make the usual time longer, or else a
// service that is always overloaded would soon count as a slow one.
func (u *usual) learn(took time.Duration, now time.Time, calm bool) {
	u.best = min(u.best, took)
	if !calm {
		return
	}
	if u.calm++; u.calm == 1 || took < u.next {
		u.next = took
	}
	if u.calm >= leastCalm && now.Sub(u.since) >= usualLasts {
		*u = usual{best: u.next, since: now}
	}
}
