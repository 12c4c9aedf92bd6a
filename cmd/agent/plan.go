package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) plan() *cobra.Command {
	var ref, dir, output string
	var code bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what a revision would change; changes nothing",
		Args:  exactly,
	}
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to plan, merged into the stack's branch unless that holds it (default the branch)")
	cmd.Flags().StringVar(&dir, "dir", "", "plan the files in DIR, a work tree of the repository, in place of a commit; those that Git ignores count, too")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	cmd.Flags().BoolVar(&code, "exit-code", true, "exit with 2 when something would change; with --exit-code=false that is 0")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json", "markdown"); err != nil {
			return err
		}
		if dir != "" && (ref != "" || output == "markdown") {
			return errors.New("--dir plans files that are in no commit; leave out --ref, and use -o text or json")
		}
		stacks, err := load()
		if err == nil && dir != "" {
			err = ofOneRepository(stacks)
		}
		if err != nil {
			return err
		}
		return differencesAre(code, a.each(stacks, func(w wiring, s *config.Stack) (plan.Plan, error) {
			seen, err := w.preview(cmd.Context(), s, ref, dir)
			if output == "markdown" {
				fmt.Fprint(a.out, seen.page(s, err).Markdown())
			}
			switch {
			case err != nil:
				return seen.plan, err
			case output == "json":
				return seen.plan, report.JSON(a.out, report.Document(seen.plan, seen.rev))
			case output == "text":
				text := a.text()
				text.Approve, text.Binding = approveCommand(cmd, s.Name), true
				text.Plan(seen.plan, seen.rev)
			}
			return seen.plan, nil
		}))
	}
	return cmd
}

// differencesAre is err, unless it only says that there are differences and they
// are no failure.
func differencesAre(failure bool, err error) error {
	if !failure && errors.Is(err, exit(plan.OutOfSync)) {
		return nil
	}
	return err
}

// seen is a revision and what it would do.
type seen struct {
	rev  source.Revision
	plan plan.Plan
	// base is the branch that the revision was merged into, in thought; zero when
	// it was planned as it is.
	base source.Revision
}

// page is the comment that a pull request of the revision would get.
func (v seen) page(s *config.Stack, err error) comment.Page {
	p := comment.Page{Stack: s.Name, Head: v.rev.Commit, Base: v.base.Branch, BaseCommit: v.base.Commit}
	switch {
	case errors.As(err, &p.Problems):
	case err != nil:
		p.Err = err.Error()
	case v.base.Commit != "" && v.base.Tree == v.rev.Tree:
		p.Quiet = true
	default:
		p.Plan = &v.plan
	}
	return p
}

// among is the name of a stack where there are several, and "" where nobody needs
// it.
func among(stacks []config.Stack, s *config.Stack) string {
	if len(stacks) > 1 {
		return s.Name
	}
	return ""
}

// each visits every stack in turn; one that fails stops no other.
func (a *app) each(stacks []config.Stack, look func(wiring, *config.Stack) (plan.Plan, error)) error {
	w := a.wiring(a.logger(false))
	worst := plan.InSync
	for i := range stacks {
		plan, err := look(w, &stacks[i])
		if err != nil {
			worst = worse(worst, a.failed(among(stacks, &stacks[i]), err))
			continue
		}
		worst = worse(worst, plan.Outcome())
	}
	return ended(worst)
}

// ofOneRepository refuses to compare stacks of several repositories with one work
// tree.
func ofOneRepository(stacks []config.Stack) error {
	for _, s := range stacks {
		if s.Spec.Source.URL != stacks[0].Spec.Source.URL {
			return fmt.Errorf("--dir is a work tree of one repository, and the stacks %s and %s are of two; choose one with --stack", stacks[0].Name, s.Name)
		}
	}
	return nil
}

// preview plans a stack's revision without changing anything: the files in dir, or
// ref, which is "" for the newest of its branch. One that the branch does not hold
// yet is planned as it will be once it is merged; an older one of the branch as it
// is.
func (w wiring) preview(ctx context.Context, s *config.Stack, ref, dir string) (v seen, err error) {
	if dir != "" {
		v.rev, err = source.WorkTree(dir, s.Spec.Source.Path)
		err = source.Public(err)
	} else {
		repo, wrong := w.repo(s, forBranch)
		if wrong != nil {
			return v, wrong
		}
		defer func() { _ = repo.Close() }()
		end := w.progress.begin(of(s.Name, "fetching "+s.Spec.Source.URL))
		v, err = revision(ctx, repo, ref)
		end()
	}
	if err != nil {
		return v, err
	}
	defer w.progress.begin(of(s.Name, "comparing with the cloud"))()
	v.plan, err = w.previewer(s).plan(ctx, v.rev.Commit, v.rev.Files)
	return v, err
}

func revision(ctx context.Context, repo *source.Repo, ref string) (v seen, err error) {
	v.rev, _, err = repo.Fetch(ctx)
	if err != nil || ref == "" {
		return v, source.Public(err)
	}
	base := v.rev
	merge, err := repo.Merged(ctx, ref)
	switch {
	case err != nil:
		return v, source.Public(err)
	case merge.MergeBase == merge.Head:
		v.rev, err = repo.At(ctx, ref)
		return v, source.Public(err)
	}
	v.rev, v.base = merge.Revision, base
	if len(merge.Conflicts) > 0 {
		return v, review.Conflict(base.Branch, merge.Conflicts)
	}
	return v, nil
}
