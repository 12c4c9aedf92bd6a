package main

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source"
)

// survey checks one stack for people, again if they want.
type survey struct {
	stack     *config.Stack
	repo      *source.Repo
	previewer *previewer
	// reports says that there are places that the stack reports to; forges are those
	// that can be asked.
	reports bool
	forges  []forge.Forge
	agent   *asker
}

// Bounds on what is only shown besides.
const (
	statusPatience  = 10 * time.Second // for the forge's word
	historyPatience = 30 * time.Second // for who touched files
)

func (w wiring) survey(s *config.Stack, agent *asker) (*survey, error) {
	repo, err := w.repo(s, forBranch)
	if err != nil {
		return nil, err
	}
	one := &survey{stack: s, repo: repo, previewer: w.previewer(s), agent: agent}
	for _, t := range newForges(w.log, nil).targets(s) {
		one.reports = true
		if f, err := t.open(); err == nil { // else the last pass reads as not known
			one.forges = append(one.forges, f)
		}
	}
	return one, nil
}

func (s *survey) close() { _ = s.repo.Close() } // a cache

// compare compares the newest commit with the cloud. Of objects that are asked for by
// name everything is found out.
func (s *survey) compare(ctx context.Context, f report.StatusFilter) (v report.StatusView, err error) {
	if v.Rev, _, err = s.repo.Fetch(ctx); err != nil {
		return v, source.Public(err)
	}
	s.previewer.past = agent.PastOf(s.repo.Earlier, v.Rev)
	if v.Plan, err = s.previewer.plan(ctx, v.Rev.Commit, v.Rev.Files); err != nil {
		return v, err
	}
	said := s.agent.word(ctx, s.stack.Name)
	v.Plan, v.Agent = said.tell(v.Plan), said.shown()
	v.Cloud, v.Region = cmp.Or(s.stack.Spec.Cloud, os.Getenv("OS_CLOUD"), "of the OS_* variables"), s.previewer.seen()
	v.Objects = plan.Statuses(v.Plan, all.Kinds(nil, defaults.Defaults{}))
	s.lastPass(ctx, &v)
	if len(f.Objects) > 0 {
		s.detail(ctx, &v, f)
	}
	return v, nil
}

// lastPass asks the forges what the commit's status says.
func (s *survey) lastPass(ctx context.Context, v *report.StatusView) {
	if v.Rev.Commit == "" || !s.reports {
		v.WhyUnknown = "no forge is configured"
		return
	}
	v.WhyUnknown = "the forge knows of none for this commit"
	ctx, cancel := context.WithTimeout(ctx, statusPatience)
	defer cancel()
	if len(s.forges) == 0 {
		v.WhyUnknown = "the forge cannot be asked"
	}
	for _, f := range s.forges {
		list, err := f.Statuses(ctx, v.Rev.Commit)
		if err != nil {
			v.WhyUnknown = "the forge did not answer: " + private.Text(err)
			continue
		}
		for _, status := range list {
			if status.Context == forge.FitContext(review.Context(s.stack.Name, "sync")) {
				v.LastPass = &report.LastPass{State: string(status.State), Description: status.Description}
				return
			}
		}
	}
}

// detail adds the manifests of objects, and who last touched their files.
func (s *survey) detail(ctx context.Context, v *report.StatusView, f report.StatusFilter) {
	var files []string
	var objects []*plan.ObjectStatus
	specs, kinds := v.Plan.Specs(), all.Kinds(nil, defaults.Defaults{})
	for i := range v.Objects {
		o := &v.Objects[i]
		if len(f.Of(v.Objects[i:i+1])) == 0 {
			continue
		}
		o.Spec = specs(report.KeyOf(*o, kinds))
		if objects = append(objects, o); o.Status.Origin != nil {
			files = append(files, inRepository(v.Rev, o.Status.Origin.File))
		}
	}
	if len(files) == 0 || v.Rev.Commit == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, historyPatience)
	defer cancel()
	touched, err := s.repo.LastChanges(ctx, v.Rev.Commit, files)
	if err != nil {
		s.previewer.wiring.log.Warn("who last changed the manifests is not known", "error", err)
	}
	show := v.Plan.Redact
	for _, o := range objects {
		if o.Status.Origin == nil {
			continue
		}
		if t, ok := touched[inRepository(v.Rev, o.Status.Origin.File)]; ok {
			o.Status.LastChange = &plan.StatusTouch{Commit: t.Commit, Author: show(t.Author), Time: t.Time.Format(time.RFC3339), Subject: show(t.Subject)}
		}
	}
}

// inRepository is a file's path from the repository's root.
func inRepository(rev source.Revision, file string) string {
	if _, err := fs.Stat(rev.Files, file); err == nil {
		return path.Join(rev.Root, file)
	}
	return file
}

// seen is the region that was checked; "" while that is not known.
func (p *previewer) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.region
}
