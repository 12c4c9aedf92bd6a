package review

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// job is a pull request that a stack has to plan.
type job struct {
	pull    forge.Pull
	said    said
	read    time.Time // when the comments were
	trusted bool      // its head is that of a pull request from the repository itself
	// urgent is one that people wait for; the others are only out of date.
	urgent bool
}

// planned is what is remembered of a plan that was made.
type planned struct {
	head     string
	run      time.Time // when it was begun
	asked    time.Time // when somebody last asked for it, by the forge's clock
	approved string    // the hashes that had been approved
	trusted  bool
	unread   bool // there were more comments than are read
	// again is when to plan once more after an error that may pass, and failures how
	// many there were.
	again    time.Time
	failures int
	// heads is how many commits of a stranger's were planned since first.
	heads int
	first time.Time
}

// mostHeads is how many commits that a stranger pushes to one pull request are
// planned in headsAge: each takes new statuses, of which a forge allows so many an
// hour.
const (
	mostHeads = 10
	headsAge  = time.Hour
)

// enough reports whether a stranger has pushed as much as is planned for now.
func (p planned) enough(now time.Time) bool {
	return p.heads >= mostHeads && now.Sub(p.first) < headsAge
}

// count is what is remembered with one more commit of a stranger's.
func (p planned) count(now time.Time) (heads int, first time.Time) {
	if now.Sub(p.first) >= headsAge {
		return 1, now
	}
	return p.heads + 1, p.first
}

// planFor is what is remembered of a job that begins now.
func planFor(j job, now time.Time) planned {
	return planned{head: j.pull.Head, run: now, asked: j.said.asked(), approved: hashes(j.said.approvals()), trusted: j.trusted, unread: j.said.unread}
}

// wanted reports whether a job has to be done, and whether people wait for it:
// because it is new, has new commits, because somebody asked or approved, or no
// longer can, or because the plan is out of date.
func wanted(j job, before planned, known bool, outdated, now time.Time) (wanted, urgent bool) {
	next := planFor(j, now)
	pushed := before.head != next.head && (j.mayPlan(next.head) || !before.enough(now))
	urgent = !known || pushed || before.asked.Before(next.asked) || before.approved != next.approved || before.trusted != next.trusted || before.unread != next.unread
	again := before.run.Before(outdated) || !before.again.IsZero() && !now.Before(before.again)
	return urgent || again, urgent
}

// queue is what a stack has to plan, and what it has planned.
type queue struct {
	more chan struct{} // there are jobs

	mu    sync.Mutex
	plans map[int]planned // by pull request
	jobs  map[int]job     // by pull request
	turn  bool            // of those that are urgent
}

func newQueue() *queue {
	return &queue{more: make(chan struct{}, 1), plans: map[int]planned{}, jobs: map[int]job{}}
}

// offer adds a job if it has to be done.
func (q *queue) offer(j job, outdated, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, known := q.plans[j.pull.Number]
	want, urgent := wanted(j, before, known, outdated, now)
	if _, waits := q.jobs[j.pull.Number]; !want && !waits {
		return
	}
	j.urgent = urgent
	q.jobs[j.pull.Number] = j
	signal(q.more)
}

// take takes the job whose pull request has waited longest for a plan: urgent
// ones and others in turns, so that neither they nor a pull request that is
// pushed to without end keep others from being planned.
func (q *queue) take() (j job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turn = !q.turn
	before := func(a, b job) bool {
		if a.urgent != b.urgent {
			return a.urgent == q.turn
		}
		x, y := q.plans[a.pull.Number].run, q.plans[b.pull.Number].run
		return x.Before(y) || x.Equal(y) && a.pull.Number < b.pull.Number
	}
	for _, one := range q.jobs {
		if !ok || before(one, j) {
			j, ok = one, true
		}
	}
	delete(q.jobs, j.pull.Number)
	return j, ok
}

// begin notes that a job is being done, and returns how often it failed before.
func (q *queue) begin(j job, now time.Time) (failures int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, p := q.plans[j.pull.Number], planFor(j, now)
	p.heads, p.first = before.heads, before.first
	if p.head != before.head && !j.mayPlan(p.head) {
		p.heads, p.first = before.count(now)
	}
	q.plans[j.pull.Number] = p
	return before.failures
}

// end notes when a job that was begun has to be done again, after so many
// failures; zero when it has not.
func (q *queue) end(j job, begun, again time.Time, failures int) {
	p := planFor(j, begun)
	p.again, p.failures = again, failures
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.plans[j.pull.Number]
	p.heads, p.first = before.heads, before.first
	q.plans[j.pull.Number] = p
}

// overtaken reports whether a plan was begun after run.
func (q *queue) overtaken(number int, run time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.plans[number].run.After(run)
}

// shares reports whether the head of a pull request is that of another one that is
// planned.
func (q *queue) shares(number int, head string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for other, p := range q.plans {
		if other != number && p.head == head {
			return true
		}
	}
	for other, j := range q.jobs {
		if other != number && j.pull.Head == head {
			return true
		}
	}
	return false
}

// gone are the pull requests that were planned and are not open any more.
func (q *queue) gone(open map[int]bool) (numbers []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for number := range q.plans {
		if !open[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// keep forgets all but these pull requests.
func (q *queue) keep(open map[int]bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.plans, func(number int, _ planned) bool { return !open[number] })
	maps.DeleteFunc(q.jobs, func(number int, _ job) bool { return !open[number] })
}

// mayPlan reports whether a commit of the pull request may be planned against the
// cloud: of a fork, only what somebody who may push has asked for. That is a
// commit which is named, or the one that our comment showed when it was said.
func (j job) mayPlan(head string) bool {
	if !j.pull.Fork || j.trusted && head == j.pull.Head {
		return true
	}
	return slices.ContainsFunc(j.said.commands, func(cmd command) bool {
		return cmd.verb == verbPlan && cmd.known() && (cmd.hash == head || cmd.hash == "" && j.said.showedHead(cmd, head))
	})
}

// showedHead reports whether a comment of ours was about a commit when a command was
// said.
func (s said) showedHead(cmd command, head string) bool {
	return slices.ContainsFunc(s.plans(""), func(m memory.Marker) bool { return m.Head == head && cmd.comment > m.After })
}
