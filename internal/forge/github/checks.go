package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	maxAtOnce      = 50     // number of annotations in one request
	maxAnnotations = 1000   // number of annotations of one check; nobody reads more
	maxText        = 65_535 // maximal length of the texts of a check and of a message, in characters
	maxTitle       = 255
	// refusedFor is the time for which the agent writes no check runs after a refusal.
	refusedFor = time.Hour
	prefix     = "stackreeve " // the beginning of our external IDs
)

// PutCheck implements [forge.Checks]. Only Apps may write check runs. GitHub adds new annotations
// of a run to its existing ones, and removes none. So PutCheck changes a run only if it has no
// annotations; otherwise it creates a new run.
func (r *Repository) PutCheck(ctx context.Context, c forge.Check) error {
	what := fmt.Sprintf("write the check %s of %.7s", c.Name, c.Commit)
	if !fullCommit.MatchString(c.Commit) {
		return fmt.Errorf("github: %s: %s: %w: %q is not a full commit", r, what, forge.ErrRefused, c.Commit)
	}
	r.mu.Lock()
	refused := !r.noChecks.IsZero() && time.Since(r.noChecks) < refusedFor
	r.mu.Unlock()
	if refused {
		return fmt.Errorf("github: %s: %s: %w: these credentials have no permission for that", r, what, forge.ErrUnsupported)
	}
	err := r.putCheck(ctx, c)
	if code(err) != http.StatusForbidden {
		return r.fail(err, what)
	}
	r.mu.Lock()
	r.noChecks = time.Now()
	r.mu.Unlock()
	return fmt.Errorf("github: %s: %s: %w: GitHub accepts check runs only from an App with the permission checks: write", r, what, forge.ErrUnsupported)
}

func (r *Repository) putCheck(ctx context.Context, c forge.Check) error {
	c.Annotations = c.Annotations[:min(len(c.Annotations), maxAnnotations)]
	mark := fingerprint(c)
	run, err := r.newest(ctx, c)
	if err != nil || run.GetExternalID() == mark {
		return err // the run has this content already
	}
	id := run.GetID()
	again := run != nil && run.GetOutput().GetAnnotationsCount() == 0 && (run.GetStatus() != "completed" || c.State != forge.Pending)
	for notes := annotations(c); ; again = true {
		some := notes[:min(len(notes), maxAtOnce)]
		notes = notes[len(some):]
		o := github.UpdateCheckRunOptions{Name: c.Name, Status: github.String("in_progress"), Output: output(c, some)}
		if len(notes) == 0 { // the mark is written with the last annotations
			o.ExternalID = &mark
			conclude(&o, c.State)
		}
		if id, err = r.write(ctx, c.Commit, id, again, o); err != nil || len(notes) == 0 {
			return err
		}
	}
}

// write changes a run if again is true, and otherwise creates one. It returns the number of the
// run.
func (r *Repository) write(ctx context.Context, commit string, id int64, again bool, o github.UpdateCheckRunOptions) (int64, error) {
	if again {
		_, _, err := r.client.Checks.UpdateCheckRun(ctx, r.owner, r.name, id, o)
		return id, err
	}
	run, _, err := r.client.Checks.CreateCheckRun(ctx, r.owner, r.name, github.CreateCheckRunOptions{
		Name: o.Name, HeadSHA: commit, ExternalID: o.ExternalID, Status: o.Status, Conclusion: o.Conclusion, CompletedAt: o.CompletedAt, Output: o.Output,
	})
	return run.GetID(), err
}

// conclude sets the conclusion of a run that has ended.
func conclude(o *github.UpdateCheckRunOptions, s forge.State) {
	conclusion := "failure"
	switch s {
	case forge.Pending:
		return
	case forge.Success:
		conclusion = "success"
	case forge.Failure, forge.Error:
	}
	o.Status, o.Conclusion = github.String("completed"), &conclusion
	o.CompletedAt = &github.Timestamp{Time: time.Now().UTC().Truncate(time.Second)}
}

// newest returns our newest run of a check, or nil if there is none.
func (r *Repository) newest(ctx context.Context, c forge.Check) (*github.CheckRun, error) {
	filter := "latest"
	list, _, err := r.client.Checks.ListCheckRunsForRef(ctx, r.owner, r.name, c.Commit, &github.ListCheckRunsOptions{
		CheckName: &c.Name, Filter: &filter, ListOptions: github.ListOptions{PerPage: perPage},
	})
	if err != nil || len(list.CheckRuns) == 0 {
		return nil, err
	}
	me, err := r.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	runs := slices.DeleteFunc(list.CheckRuns, func(run *github.CheckRun) bool {
		return run.GetName() != c.Name || run.GetHeadSHA() != c.Commit || !r.isOwnCheck(run, me)
	})
	if len(runs) == 0 {
		return nil, nil
	}
	return slices.MaxFunc(runs, func(a, b *github.CheckRun) int { return int(a.GetID() - b.GetID()) }), nil
}

// isOwnCheck reports whether a run is ours. That has to be checked, because any App can create a run with
// any name.
func (r *Repository) isOwnCheck(run *github.CheckRun, me account) bool {
	if r.config.App != nil {
		return run.GetApp().GetID() == r.config.App.AppID
	}
	return strings.EqualFold(run.GetApp().GetSlug()+"[bot]", me.login)
}

// fingerprint returns the external ID of a run with this content.
func fingerprint(c forge.Check) string {
	text, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return prefix + hex.EncodeToString(sum[:12])
}

func output(c forge.Check, notes []*github.CheckRunAnnotation) *github.CheckRunOutput {
	title, summary, text := printable.Shorten(c.Title, maxTitle), printable.Shorten(c.Summary, maxText), printable.Shorten(c.Text, maxText)
	if title == "" {
		title = printable.Shorten(c.Name, maxTitle)
	}
	o := &github.CheckRunOutput{Title: &title, Summary: &summary, Annotations: notes}
	if text != "" {
		o.Text = &text
	}
	return o
}

func annotations(c forge.Check) []*github.CheckRunAnnotation {
	var list []*github.CheckRunAnnotation
	for _, a := range c.Annotations {
		line, level, title, message := max(a.Line, 1), string(a.Level), printable.Shorten(a.Title, maxTitle), printable.Shorten(a.Message, maxText)
		if a.File == "" || message == "" {
			continue
		}
		note := &github.CheckRunAnnotation{Path: &a.File, StartLine: &line, EndLine: &line, AnnotationLevel: &level, Message: &message}
		if title != "" {
			note.Title = &title
		}
		list = append(list, note)
	}
	return list
}
