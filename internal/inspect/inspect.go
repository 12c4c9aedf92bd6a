// Package inspect checks whether the configured credentials are sufficient for everything that the agent does
// with a forge.
//
// It tries each read request of the agent. It does not try write requests, which would leave something that
// people see. For them, it uses the rights that the forge reports. It contains no particular forge.
package inspect

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
)

// Patience is the time limit for all requests to one forge together.
const Patience = time.Minute

// Forge returns a finding for each task that the forge has, except for cloning and webhooks.
func Forge(ctx context.Context, f forge.Forge, at forge.Sample) []forge.Finding {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	t := &trial{forge: f, rights: rightsOf(f), done: map[forge.Task]forge.Finding{}}
	t.run(ctx, at)
	return t.findings()
}

func rightsOf(f forge.Forge) map[forge.Task]string {
	if f.Credentials == nil {
		return map[forge.Task]string{}
	}
	return f.RightsByTask()
}

// trial contains the findings about one forge.
type trial struct {
	forge  forge.Forge
	rights map[forge.Task]string
	done   map[forge.Task]forge.Finding
}

// run tries all requests. If the login fails, it tries nothing else. If the repository cannot be read, it tries
// no request for anything in it.
func (t *trial) run(ctx context.Context, at forge.Sample) {
	if t.forge.Credentials == nil {
		return
	}
	owner, err := t.forge.Owner(ctx)
	t.tried(forge.TaskLogin, err, ownerText(owner))
	if err != nil {
		t.rest("not checked, because the login failed")
		return
	}
	if err := t.forge.Reach(ctx); err != nil {
		t.tried(forge.TaskRepository, err, "")
		t.rest("not checked, because the repository cannot be read")
		return
	}
	t.tried(forge.TaskRepository, nil, "")
	at.Pull = t.pulls(ctx, at.Branch)
	held, err := t.forge.Held(ctx, at)
	for task, one := range held {
		t.set(task, one.Result, one.Why)
	}
	t.reads(ctx, at, owner.Person)
	if err != nil {
		result, why := judge(err)
		if result != forge.NoAnswer {
			result = forge.NotTried
		}
		t.others(result, why)
	}
	t.rest("the forge does not show this permission; only an attempt to write would show it")
}

// pulls lists the open pull requests, and returns the first of them.
func (t *trial) pulls(ctx context.Context, branch string) int {
	if !t.forge.Reviewed() {
		return 0
	}
	list, err := t.forge.OpenPulls(ctx, branch)
	t.tried(forge.TaskPulls, err, fmt.Sprintf("%d open", len(list)))
	if len(list) == 0 {
		return 0
	}
	return list[0].Number
}

// reads tries those read requests about which the forge has reported no right.
func (t *trial) reads(ctx context.Context, at forge.Sample, me forge.Person) {
	noCommit := unless(at.Commit != "", "the newest commit of the branch is not known, because the branch was not fetched")
	for _, one := range []struct {
		task    forge.Task
		lacking string // the reason why the request cannot be tried; "" if it can
		read    func() error
	}{
		{forge.TaskComments, unless(at.Pull != 0, "no pull request is open"), func() error { _, err := t.forge.Comments(ctx, at.Pull); return err }},
		{forge.TaskPeople, unless(at.Branch != "", "the branch is not known, because it was not fetched"), func() error { _, err := t.forge.MayWrite(ctx, me, at.Branch); return err }},
		{forge.TaskHistory, cmp.Or(noCommit, unless(at.File != "", "the newest commit of the branch has no file of the stack")), func() error { _, err := t.forge.LastTouch(ctx, at.Branch, at.File); return err }},
		{forge.TaskStatuses, noCommit, func() error { _, err := t.forge.Statuses(ctx, at.Commit); return err }},
	} {
		if !t.open(one.task) {
			continue
		}
		if one.lacking != "" {
			t.set(one.task, forge.NotTried, one.lacking)
			continue
		}
		t.tried(one.task, one.read(), "")
	}
}

func unless(there bool, why string) string {
	if there {
		return ""
	}
	return why
}

// open reports whether the forge has a task for which there is no finding yet.
func (t *trial) open(task forge.Task) bool {
	_, known := t.done[task]
	return t.rights[task] != "" && !known && task != forge.TaskClone && task != forge.TaskWebhooks
}

// others sets the same result for all tasks without a finding.
func (t *trial) others(result forge.Result, why string) {
	for _, task := range forge.Tasks() {
		if t.open(task) {
			t.set(task, result, why)
		}
	}
}

func (t *trial) rest(why string) { t.others(forge.NotTried, why) }

// tried records the outcome of a request. well is the text for people if there was no error.
func (t *trial) tried(task forge.Task, err error, well string) {
	if err == nil || errors.Is(err, forge.ErrTooMany) {
		t.set(task, forge.Works, well)
		return
	}
	result, why := judge(err)
	t.set(task, result, why)
}

// set records a result. A task that needs no right and works is not recorded.
func (t *trial) set(task forge.Task, result forge.Result, why string) {
	if t.rights[task] == "" && result == forge.Works {
		return
	}
	t.done[task] = forge.Finding{Task: task, Result: result, Right: t.rights[task], Reason: why}
}

func (t *trial) findings() (list []forge.Finding) {
	for _, f := range t.done {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b forge.Finding) int { return a.Task.Compare(b.Task) })
	return list
}

// judge returns the meaning of a forge's error for a task.
func judge(err error) (forge.Result, string) {
	var (
		limited  *forge.LimitedError
		stranger x509.UnknownAuthorityError
	)
	why := printable.Line(private.Text(err))
	switch {
	case errors.As(err, &stranger):
		return forge.Missing, why + "; add the certificates of that authority to the system, or write the path of a file with them in caFile"
	case errors.As(err, &limited), errors.Is(err, forge.ErrUnavailable):
		return forge.NoAnswer, why
	case errors.Is(err, forge.ErrUnsupported):
		return forge.NotOffered, why
	}
	return forge.Missing, why
}

func ownerText(o forge.Owner) string {
	text := o.Login
	if !o.Until.IsZero() {
		text += ", until " + o.Until.UTC().Format(time.DateOnly)
	}
	return text
}
