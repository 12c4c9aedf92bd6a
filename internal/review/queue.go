package review

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// job is the work of planning a pull request for a stack.
type job struct {
	pull     forge.Pull
	comments readComments
	read     time.Time // time when the comments were read
	trusted  bool      // a pull request from the repository itself has the same head
	needs    needs
	// urgent means that people wait for the plan. Without it, the existing plan is only outdated.
	urgent bool
}

// lastPlan contains the facts about the last plan of a pull request. They are compared with a new job to
// decide whether to plan again.
type lastPlan struct {
	head     string
	begun    time.Time // time when the plan was started
	asked    time.Time // time of the last request for a plan before that, by the forge's clock
	approved string    // the hashes that were approved when the plan was started
	trusted  bool
	needs    string // key of the needs that the plan was made with
	unread   bool   // there were more comments than the agent reads
	// retryAt is the time to plan once more after a temporary error; zero for never. failures is the number of
	// such errors in a row.
	retryAt  time.Time
	failures int
	// heads is the number of commits of a stranger that were planned since first.
	heads int
	first time.Time
}

// At most maxHeads commits of a stranger's pull request are planned within headsAge. Each commit needs new statuses, and a forge allows only
// a limited number of them per hour.
const (
	maxHeads = 10
	headsAge = time.Hour
)

// limitReached reports whether the stranger has reached the limit maxHeads.
func (p lastPlan) limitReached(now time.Time) bool {
	return p.heads >= maxHeads && now.Sub(p.first) < headsAge
}

// count returns the next values of heads and first, after one more commit of a stranger.
func (p lastPlan) count(now time.Time) (heads int, first time.Time) {
	if now.Sub(p.first) >= headsAge {
		return 1, now
	}
	return p.heads + 1, p.first
}

// lastPlanOf returns the lastPlan of a job that is started at the time begun.
func lastPlanOf(j job, begun time.Time) lastPlan {
	return lastPlan{head: j.pull.Head, begun: begun, asked: j.comments.lastAsked(), approved: hashes(j.comments.approvals()), trusted: j.trusted, needs: j.needs.key(), unread: j.comments.unread}
}

// mustDo reports whether a job must be done, and whether people wait for it (urgent). Urgent jobs are new pull requests, new commits, new
// requests for a plan, and changes of approvals, of rights, or of whether all comments can be read. Other jobs are done if the plan is outdated, if the needs have changed, or if
// it is time to try again.
func mustDo(j job, before lastPlan, known bool, outdated, now time.Time) (wanted, urgent bool) {
	next := lastPlanOf(j, now)
	pushed := before.head != next.head && (j.mayPlan(next.head) || !before.limitReached(now))
	urgent = !known || pushed || before.asked.Before(next.asked) || before.approved != next.approved || before.trusted != next.trusted || before.unread != next.unread
	again := before.begun.Before(outdated) || before.needs != next.needs && before.head == next.head || !before.retryAt.IsZero() && !now.Before(before.retryAt)
	return urgent || again, urgent
}

// queue contains the jobs of a stack, and the last plan of each pull request.
type queue struct {
	more chan struct{} // contains a value if there are new jobs

	mu    sync.Mutex
	plans map[int]lastPlan // by pull request
	jobs  map[int]job      // by pull request
	turn  bool             // the last turn was that of the urgent jobs
}

func newQueue() *queue {
	return &queue{more: make(chan struct{}, 1), plans: map[int]lastPlan{}, jobs: map[int]job{}}
}

// offer adds a job if it must be done.
func (q *queue) offer(j job, outdated, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, known := q.plans[j.pull.Number]
	want, urgent := mustDo(j, before, known, outdated, now)
	if _, waits := q.jobs[j.pull.Number]; !want && !waits {
		return
	}
	j.urgent = urgent
	q.jobs[j.pull.Number] = j
	signal(q.more)
}

// next removes the job whose pull request has waited longest for a plan, and returns it. It alternates between urgent jobs and the other
// jobs. So neither urgent jobs nor a pull request with endless pushes can stop the planning of others.
func (q *queue) next() (j job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turn = !q.turn
	before := func(a, b job) bool {
		if a.urgent != b.urgent {
			return a.urgent == q.turn
		}
		x, y := q.plans[a.pull.Number].begun, q.plans[b.pull.Number].begun
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

// begin records that a job has started, and returns how often it failed before.
func (q *queue) begin(j job, begun time.Time) (failures int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, p := q.plans[j.pull.Number], lastPlanOf(j, begun)
	p.heads, p.first = before.heads, before.first
	if p.head != before.head && !j.mayPlan(p.head) {
		p.heads, p.first = before.count(begun)
	}
	q.plans[j.pull.Number] = p
	return before.failures
}

// end records the time again, at which a job must be done once more, and how often it has failed. A zero time
// means never.
func (q *queue) end(j job, begun, again time.Time, failures int) {
	p := lastPlanOf(j, begun)
	p.retryAt, p.failures = again, failures
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.plans[j.pull.Number]
	p.heads, p.first = before.heads, before.first
	q.plans[j.pull.Number] = p
}

// overtaken reports whether a newer plan of the pull request was started after begun.
func (q *queue) overtaken(number int, begun time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.plans[number].begun.After(begun)
}

// shares reports whether another pull request with a plan has the same head.
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

// closedPulls returns the pull requests that were planned and are not in open any more.
func (q *queue) closedPulls(open map[int]bool) (numbers []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for number := range q.plans {
		if !open[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// retain forgets all pull requests except those in open.
func (q *queue) retain(open map[int]bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.plans, func(number int, _ lastPlan) bool { return !open[number] })
	maps.DeleteFunc(q.jobs, func(number int, _ job) bool { return !open[number] })
}

// mayPlan reports whether a commit of the pull request may be planned against the cloud. If the pull request comes from a fork, a person with
// the right to push must have requested the plan. The command names the commit. A command without a commit is for the commit that the agent's
// comment showed before.
func (j job) mayPlan(head string) bool {
	if !j.pull.Fork || j.trusted && head == j.pull.Head {
		return true
	}
	return slices.ContainsFunc(j.comments.commands, func(cmd command) bool {
		return cmd.verb == verbPlan && cmd.known() && (cmd.hash == head || cmd.hash == "" && j.comments.showedHead(cmd, head))
	})
}

// strange reports whether commits of a fork are planned: those of the pull request, or of one that is merged before it.
func (j job) strange() bool {
	return j.pull.Fork || slices.ContainsFunc(j.needs.list, func(one need) bool { return one.fromFork })
}

// showedHead reports whether a comment of the agent showed a commit before the command was written.
func (s readComments) showedHead(cmd command, head string) bool {
	return slices.ContainsFunc(s.plans(""), func(m memory.Marker) bool { return m.Head == head && cmd.comment > m.After })
}
