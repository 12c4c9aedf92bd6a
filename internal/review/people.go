package review

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// people remembers for some time which people may push.
type people struct {
	forge forge.Rights
	log   *slog.Logger

	mu      sync.Mutex
	rights  map[person]right
	logged  string // the last logged reason why permissions could not be read
	answers map[forge.Person]answers
}

// person is an account, with its rights on one branch.
type person struct {
	forge.Person
	branch string
}

// answers counts the recent answers to a person.
type answers struct {
	count int
	since time.Time
}

const (
	// maxAnswers is the maximum number of commands of a person that are answered within answersAge, because an answer uses requests that
	// statuses need, too. Further commands are carried out without an answer.
	maxAnswers = 20
	answersAge = 10 * time.Minute
	maxPeople  = 10_000 // maximum number of people that are remembered
)

// countAnswer counts an answer to a person, and reports whether it may be posted.
func (p *people) countAnswer(who forge.Person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil || len(p.answers) > maxPeople {
		p.answers = map[forge.Person]answers{}
	}
	a := p.answers[who]
	if time.Since(a.since) >= answersAge {
		a = answers{since: time.Now()}
	}
	a.count++
	p.answers[who] = a
	return a.count <= maxAnswers
}

// right is the forge's answer about a person, and the time for which the answer is valid.
type right struct {
	write    bool
	at       time.Time
	validFor time.Duration
}

// Each of these is the time for which an answer of the forge is valid. allowedAge is for the answer that a person may push, deniedAge for the
// answer that a person may not, and refusedAge is for a refusal to answer. deniedAge is long because many strangers may comment, and the
// forge cannot be asked about all of them each time a conversation is read.
const (
	allowedAge = time.Minute
	refusedAge = 10 * time.Minute
	deniedAge  = time.Hour
)

func (r right) fresh() bool { return !r.at.IsZero() && time.Since(r.at) < r.validFor }

// maxStrangers is the maximum number of people in one visit about whom the forge is asked, apart from those
// who are known to have the right to push.
const maxStrangers = 50

// later returns the authors of possible commands about whom the forge will be asked only in a later visit. A person who is known to have the
// right is never among them. The forge is first asked about those for whom the last answer is oldest or missing. If these times are equal,
// the authors of the newest comments come first.
func (p *people) later(branch string, comments []forge.Comment) map[person]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	later := map[person]bool{}
	var strangers []person
	for _, c := range slices.Backward(comments) {
		who := person{forge.Person{ID: c.AuthorID, Login: c.Author}, branch}
		if r := p.rights[who]; mayAsk(c) && !later[who] && !r.write && !r.fresh() {
			later[who] = true
			strangers = append(strangers, who)
		}
	}
	slices.SortStableFunc(strangers, func(a, b person) int { return p.rights[a].at.Compare(p.rights[b].at) })
	for _, who := range strangers[:min(len(strangers), maxStrangers)] {
		delete(later, who)
	}
	return later
}

// mayWrite reports whether a person may push to the branch. If the forge refuses to answer, the result is
// false.
func (p *people) mayWrite(ctx context.Context, who person) (bool, error) {
	p.mu.Lock()
	r, ok := p.rights[who]
	p.mu.Unlock()
	if ok && r.fresh() {
		return r.write, nil
	}
	write, err := p.forge.MayWrite(ctx, who.Person, who.branch)
	if err != nil && !errors.Is(err, forge.ErrRefused) {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	good := deniedAge
	if write {
		good = allowedAge
	}
	if err != nil {
		write, good = false, refusedAge
		if p.logged != err.Error() {
			p.logged = err.Error()
			p.log.Error("ignoring all commands: cannot read repository permissions", "error", err)
		}
	}
	if p.rights == nil || len(p.rights) > maxPeople {
		p.rights = map[person]right{}
	}
	p.rights[who] = right{write, time.Now(), good}
	return write, nil
}
