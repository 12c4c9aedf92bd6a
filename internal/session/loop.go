package session

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// LoopConfig returns the configuration of a stack's loop, except the approvals and the fields that the process shares. branches report on the
// stack. The forge of the first branch is used to read approvals and past states.
func (o Opener) LoopConfig(s *config.Stack, from Source, branches []*branch.Tracker) agent.Config {
	one := agent.Config{Name: s.Name, DependsOn: s.Spec.DependsOn}
	one.Source = agent.Source{Fetch: o.fetchWithTags(s, from), Verify: Verify(s, from), History: Earlier(from), Poll: s.Poll, DriftCheck: s.DriftCheck}
	if s.Of() != "" {
		one.Poll = schedule.Schedule{} // the document polls once for all its stacks
	}
	one.Manifests = agent.Manifests{Read: o.Read(s), Emptied: o.reader(s, "", s.Bounds()).Emptied, Weaker: config.ReadFolder}
	if len(branches) > 0 {
		one.Forge = agent.Forge{Approvals: branches[0].Approvals, Applied: branches[0].Restore, Existed: branches[0].Existed}
	}
	one.AnyProject, one.LeavesDrift, one.Targets, one.Recreate = s.Spec.Project != "", s.LeavesDrift(), o.Targets, o.Recreate
	past, kinds := o.past(s), &defaults.Memory{}
	one.Open = func(ctx context.Context) (agent.Cloud, error) {
		in, err := o.logIn(ctx, s, kinds)
		if err != nil {
			return agent.Cloud{}, err
		}
		where, at := "", in.client
		if at.ProjectID != "" {
			where = at.Region + "/" + at.ProjectID
		}
		past.Forget(memory.LoggedIn{Where: where, As: loginOf(at)})
		in.engine.Memory, in.engine.Looks = past, o.Looks
		user, _ := at.OwnUser()
		opened := agent.Cloud{Region: at.Region, Project: at.ProjectID, User: user, Sync: o.sync(s, in), Look: in.look}
		if s.Spec.Events.Probes() {
			opened.Probe = at.NewProbe()
		}
		return opened, nil
	}
	return one
}

// loginOf identifies the user of a client, and the roles that decide what it may list.
func loginOf(c *cloud.Client) string {
	login := c.Login()
	if login.User == "" {
		return ""
	}
	sum := checksum.New("login")
	sum.Add(login.User)
	sum.Add(slices.Sorted(slices.Values(login.Roles))...)
	return sum.Sum().Text()
}

// past returns the knowledge about a stack that the previous agent stored, if there is a folder for data.
func (o Opener) past(s *config.Stack) *memory.Memory {
	path := ""
	if o.DataDir != "" {
		path = MemoryFile(o.DataDir, s.Name)
	}
	past, err := memory.Open(path, s.Name, time.Now())
	if err != nil {
		o.Log.Warn("the saved memory of the stack cannot be read", "stack", s.Name, "error", err.Error())
	}
	return past
}

// MemoryFile returns the name of the file with the past of a stack, in the folder for data.
func MemoryFile(dataDir, stack string) string { return filepath.Join(dataDir, "memory", stack+".json") }

// Record returns the name of the file in which a stack's agent stores its knowledge for the next agent. It returns "" if there is no folder
// for data.
func (o Opener) Record(s *config.Stack) agent.Record {
	if o.DataDir == "" {
		return ""
	}
	return agent.Record(filepath.Join(o.DataDir, "stacks", s.Name+".json"))
}

// sync returns a function that runs a pass and shows its progress on the terminal.
func (o Opener) sync(s *config.Stack, in login) func(context.Context, engine.Revision) engine.Pass {
	return func(ctx context.Context, rev engine.Revision) engine.Pass {
		defer o.Progress.Begin(progress.Of(s.Name, "comparing with the cloud"))()
		return in.sync(ctx, rev)
	}
}

// fetch returns a function that fetches from the source and shows its progress on the terminal.
func (o Opener) fetch(s *config.Stack, from Source) func(context.Context) (source.Revision, bool, error) {
	return func(ctx context.Context) (source.Revision, bool, error) {
		defer o.Progress.Begin(progress.Of(s.Name, "fetching "+s.Spec.Source.URL))()
		return from.Fetch(ctx)
	}
}

// fetchWithTags returns a function that fetches the branch. If signed tags count, a change of a tag counts as a change, too.
func (o Opener) fetchWithTags(s *config.Stack, from Source) func(context.Context) (source.Revision, bool, error) {
	fetch := o.fetch(s, from)
	repo, ok := Git(from)
	if v := s.Spec.Source.Verify; v == nil || v.Mode != string(source.ByTag) || !ok {
		return fetch
	}
	return func(ctx context.Context) (source.Revision, bool, error) {
		rev, changed, err := fetch(ctx)
		if err != nil {
			return rev, changed, err
		}
		trust, err := s.Trust()
		if err != nil {
			return rev, changed, nil //nolint:nilerr // verifying the revision reports the error
		}
		return rev, repo.TagsChanged(ctx, *trust) || changed, nil
	}
}
