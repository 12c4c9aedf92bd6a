// Package survey finds the state of a stack for people. It compares the newest commit with the cloud, and reads
// additional information from the stack's forge and agent.
//
// It changes nothing. It does not depend on how or how often the result is shown.
package survey

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Survey checks one stack for people. It can be used repeatedly.
type Survey struct {
	stack     *config.Stack
	from      session.Source
	previewer *session.Previewer
	log       *slog.Logger
	// reports is set if the stack reports to forges or files. forges contains those forges from which information
	// can be read.
	reports bool
	forges  []forge.Forge
	agent   Asker
}

// These are the time limits for additional information.
const (
	statusPatience  = 10 * time.Second // the time limit for the forge's answer
	historyPatience = 30 * time.Second // the time limit for finding the last changes of files
)

// New opens a stack.
func New(o session.Opener, s *config.Stack, agent Asker) (*Survey, error) {
	from, err := o.Source(s)
	if err != nil {
		return nil, err
	}
	one := &Survey{stack: s, from: from, previewer: o.Previewer(s), log: o.Log, agent: agent}
	for _, t := range (session.Reporting{}).Targets(s) {
		one.reports = true
		if f, err := t.Open(); err == nil { // otherwise the last pass is shown as unknown
			one.forges = append(one.forges, f)
		}
	}
	return one, nil
}

// Close deletes the fetched data.
func (s *Survey) Close() { _ = s.from.Close() } // a cache

// Compare compares the newest commit with the cloud. For objects that are requested by name, the result contains
// all details.
func (s *Survey) Compare(ctx context.Context, f report.StatusFilter) (v report.StatusView, err error) {
	if v.Rev, _, err = s.from.Fetch(ctx); err != nil {
		return v, source.Public(err)
	}
	v.Cloud = cmp.Or(s.stack.Spec.Cloud, os.Getenv("OS_CLOUD"), "of the OS_* variables")
	if err := s.signed(ctx, &v); err != nil {
		return v, err
	}
	if v.Unverified != "" { // strangers may have written its files
		v.Plan, v.Agent = plan.Plan{Stack: s.stack.Name}, s.agent.Word(ctx, s.stack.Name).Shown()
		s.lastPass(ctx, &v)
		return v, nil
	}
	if earlier := session.Earlier(s.from); earlier != nil {
		s.previewer.Past = agent.PastOf(earlier, v.Rev)
	}
	if v.Plan, _, err = s.previewer.Plan(ctx, v.Rev.Commit, v.Rev.Files); err != nil {
		return v, err
	}
	said := s.agent.Word(ctx, s.stack.Name)
	v.Plan, v.Agent = said.Tell(v.Plan), said.Shown()
	v.Region = s.previewer.Region()
	v.Objects = status.After(v.Plan, all.Kinds(nil, defaults.Defaults{}), said.Faults(v.Plan))
	s.lastPass(ctx, &v)
	if len(f.Objects) > 0 {
		s.detail(ctx, &v, f)
	}
	return v, nil
}

// signed finds out who signed the newest commit, if signatures are needed.
func (s *Survey) signed(ctx context.Context, v *report.StatusView) (err error) {
	verify := session.Verify(s.stack, s.from)
	if verify == nil {
		return nil
	}
	v.Rev.Signed, err = verify(ctx, v.Rev.Commit, "")
	if problems := agent.Unverified(err); problems != nil {
		v.Unverified = problems[0].String()
		return nil
	}
	return err
}

// lastPass reads the commit's status from the forges.
func (s *Survey) lastPass(ctx context.Context, v *report.StatusView) {
	if v.Rev.Commit == "" || !s.reports {
		v.WhyUnknown = "no forge is configured"
		return
	}
	v.WhyUnknown = "the forge knows no pass of this commit"
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
		for _, said := range list {
			if said.Context == forge.FitContext(review.Context(s.stack.Name, "sync")) {
				v.LastPass = &report.LastPass{State: string(said.State), Description: said.Description}
				return
			}
		}
	}
}

// detail adds the manifests of objects, and the last changes of their files.
func (s *Survey) detail(ctx context.Context, v *report.StatusView, f report.StatusFilter) {
	var files []string
	var objects []*status.Object
	specs, kinds := v.Plan.Specs(), all.Kinds(nil, defaults.Defaults{})
	for i := range v.Objects {
		o := &v.Objects[i]
		if len(f.Select(v.Objects[i:i+1])) == 0 {
			continue
		}
		o.Spec = specs(report.KeyOf(*o, kinds))
		if objects = append(objects, o); o.Status.Origin != nil {
			files = append(files, v.Rev.InRepository(o.Status.Origin.File))
		}
	}
	repo, ok := session.Git(s.from)
	if len(files) == 0 || v.Rev.Commit == "" || !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, historyPatience)
	defer cancel()
	touched, err := repo.LastChanges(ctx, v.Rev.Commit, files)
	if err != nil {
		s.log.Warn("who last changed the manifests is not known", "error", err)
	}
	show := v.Plan.Secrets.Text
	for _, o := range objects {
		if o.Status.Origin == nil {
			continue
		}
		if t, ok := touched[v.Rev.InRepository(o.Status.Origin.File)]; ok {
			o.Status.LastChange = &status.Touch{Commit: t.Commit, Author: show(t.Author), Time: t.Time.Format(time.RFC3339), Subject: show(t.Subject)}
		}
	}
}
