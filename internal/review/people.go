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

// people remembers for a while who may push.
type people struct {
	forge forge.Rights
	log   *slog.Logger

	mu      sync.Mutex
	rights  map[person]right
	logged  string // the last reason why permissions could not be read
	answers map[forge.Person]answers
}

// person is an account, with its rights on one branch.
type person struct {
	forge.Person
	branch string
}

// answers is how often a person was answered recently.
type answers struct {
	count int
	since time.Time
}

const (
	// mostAnswers is how many commands of a person are answered within answersAge: an answer costs requests that statuses need, too. Further
	// commands are carried out without an answer.
	mostAnswers = 20
	answersAge  = 10 * time.Minute
	mostPeople  = 10_000 // that are remembered
)

// countAnswer counts an answer to a person, and reports whether it may be posted.
func (p *people) countAnswer(who forge.Person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil || len(p.answers) > mostPeople {
		p.answers = map[forge.Person]answers{}
	}
	a := p.answers[who]
	if time.Since(a.since) >= answersAge {
		a = answers{since: time.Now()}
	}
	a.count++
	p.answers[who] = a
	return a.count <= mostAnswers
}

// right is the forge's answer about a person, and how long it is valid.
type right struct {
	write bool
	at    time.Time
	good  time.Duration
}

// rightAge, refusedAge and noneAge are how long an answer of the forge is valid: that a person may push, that it refuses to say, and that a
// person may not. There can be so many people without the right that not all can be asked about within the age of a conversation.
const (
	rightAge   = time.Minute
	refusedAge = 10 * time.Minute
	noneAge    = time.Hour
)

func (r right) fresh() bool { return !r.at.IsZero() && time.Since(r.at) < r.good }

// mostStrangers is how many people without a known right to push the forge is asked about in one visit.
const mostStrangers = 50

// later returns the authors of possible commands about whom the forge is asked only in a later visit. A person who is known to have the right
// is never among them. Of the others, those who have waited longest are asked about first; among equals, those who spoke last.
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
	for _, who := range strangers[:min(len(strangers), mostStrangers)] {
		delete(later, who)
	}
	return later
}

// mayWrite reports whether a person may push to the branch. If the forge does not say, nobody may.
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
	good := noneAge
	if write {
		good = rightAge
	}
	if err != nil {
		write, good = false, refusedAge
		if p.logged != err.Error() {
			p.logged = err.Error()
			p.log.Error("ignoring all commands: cannot read repository permissions", "error", err)
		}
	}
	if p.rights == nil || len(p.rights) > mostPeople {
		p.rights = map[person]right{}
	}
	p.rights[who] = right{write, time.Now(), good}
	return write, nil
}
