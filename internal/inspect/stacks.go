package inspect

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// Inspector inspects the forges of stacks.
type Inspector struct {
	Opener session.Opener
	// WebhookSecret is the file with the secret of webhooks; "" if none is configured.
	WebhookSecret string
}

// place is one repository on a forge, and one branch from one Git server. Several stacks can have the same
// place.
type place struct {
	forge       session.ForgeKey
	url, branch string
}

// Stacks returns a view for each place to which the stacks report. Stacks with the same place share a view.
func (i Inspector) Stacks(ctx context.Context, stacks []config.Stack) (views []report.ForgeView) {
	seen := map[place]int{}
	for n := range stacks {
		s := &stacks[n]
		for _, target := range (session.Reporting{}).Targets(s) {
			at := place{target.ForgeKey, s.Spec.Source.URL, s.Spec.Source.Branch}
			if view, ok := seen[at]; ok {
				views[view].Stacks = append(views[view].Stacks, s.Name)
				continue
			}
			seen[at] = len(views)
			branch, findings := i.target(ctx, s, target)
			views = append(views, report.ForgeView{
				Forge: target.Kind, URL: target.URL, Repository: target.Repository, Branch: branch, Stacks: []string{s.Name}, Findings: findings,
			})
		}
	}
	return views
}

// target returns the branch and the findings. If no branch is configured, it is the default branch of the Git
// server.
func (i Inspector) target(ctx context.Context, s *config.Stack, target session.Target) (branch string, list []forge.Finding) {
	at := forge.Sample{Branch: s.Spec.Source.Branch}
	f, err := target.Open()
	if err != nil {
		return at.Branch, []forge.Finding{{Task: forge.TaskLogin, Result: forge.Missing, Reason: printable.Line(private.Text(err))}}
	}
	rights := rightsOf(f)
	if right := rights[forge.TaskClone]; right != "" {
		rev, finding := i.clone(ctx, s)
		finding.Right = right
		list = append(list, finding)
		at = forge.Sample{Branch: cmp.Or(at.Branch, rev.Branch), Commit: rev.Commit, File: anyFile(rev)}
	}
	end := i.Opener.Progress.Begin(progress.Of(s.Name, "asking "+target.URL))
	list = append(list, Forge(ctx, f, at)...)
	end()
	if right := rights[forge.TaskWebhooks]; right != "" {
		list = append(list, i.webhooks(right))
	}
	slices.SortFunc(list, func(a, b forge.Finding) int { return a.Task.Compare(b.Task) })
	return at.Branch, list
}

// clone fetches the branch with the credentials of the source.
func (i Inspector) clone(ctx context.Context, s *config.Stack) (source.Revision, forge.Finding) {
	defer i.Opener.Progress.Begin(progress.Of(s.Name, "fetching "+s.Spec.Source.URL))()
	repo, err := i.Opener.Source(s)
	if err != nil {
		return source.Revision{}, gitFinding(err)
	}
	defer func() { _ = repo.Close() }() // the repository is only a cache
	rev, _, err := repo.Fetch(ctx)
	if err == nil {
		_, err = fs.Stat(rev.Files, ".") // nobody can read the files of an artifact that is not verified
	}
	return rev, gitFinding(err)
}

func gitFinding(err error) forge.Finding {
	f := forge.Finding{Task: forge.TaskClone, Result: forge.Works, Reason: printable.Line(private.Text(err))}
	var refused *source.Unverified
	switch {
	case err == nil:
	case errors.As(err, &refused):
		f.Result, f.Reason = forge.Missing, printable.Line(refused.Error())
	case source.NeedsPerson(err):
		f.Result = forge.Missing
	default:
		f.Result = forge.NoAnswer
	}
	return f
}

// anyFile returns the path of any file of a revision, from the root of the repository, or "" if there is none.
func anyFile(rev source.Revision) (found string) {
	if rev.Files == nil {
		return ""
	}
	_ = fs.WalkDir(rev.Files, ".", func(name string, e fs.DirEntry, err error) error { // a folder that cannot be read contains no files
		if err == nil && e.Type().IsRegular() {
			found = rev.InRepository(name)
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// webhooks checks only the secret. Only the forge knows the address to which it sends webhooks.
func (i Inspector) webhooks(right string) forge.Finding {
	f := forge.Finding{Task: forge.TaskWebhooks, Result: forge.Works, Right: right}
	if i.WebhookSecret == "" {
		f.Result, f.Reason = forge.NotTried, "no --webhook-secret-file is given; without webhooks the agent asks as often as report.poll says"
		return f
	}
	if _, err := webhook.Secrets(i.WebhookSecret); err != nil {
		f.Result, f.Reason = forge.Missing, printable.Line(err.Error())
	}
	return f
}
