package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) plan() *cobra.Command {
	var ref, dir, output string
	var code bool
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Show what a revision would change; changes nothing",
		Args:    exactly,
		Example: "  stackreeve plan\n  stackreeve plan --stack prod --ref my-change\n  stackreeve plan --dir . -o json",
	}
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to plan, merged into the stack's branch unless that holds it (default the branch)")
	cmd.Flags().StringVar(&dir, "dir", "", "plan the files in DIR, a work tree of the repository, in place of a commit; those that Git ignores count, too")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	cmd.Flags().BoolVar(&code, "exit-code", true, "exit with 2 when something would change; with --exit-code=false that is 0")
	agent := askerFlags(cmd)
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
			var said *word
			if err == nil && ref == "" && dir == "" { // the agent knows nothing of what is not on the branch
				said = agent.word(cmd.Context(), s.Name)
				seen.plan = said.tell(seen.plan)
			}
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
				if word := said.shown(); word != nil {
					fmt.Fprintf(a.out, "Agent: %s\n", seen.plan.Redact(word.String()))
				}
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
	look := w.previewer(s)
	if dir != "" {
		v.rev, err = source.WorkTree(dir, s.Spec.Source.Path)
		err, look.past = source.Public(err), w.pastOfTree(s, dir)
	} else {
		repo, wrong := w.repo(s, forBranch)
		if wrong != nil {
			return v, wrong
		}
		defer func() { _ = repo.Close() }()
		end := w.progress.begin(of(s.Name, "fetching "+s.Spec.Source.URL))
		v, err = revision(ctx, repo, ref)
		look.past = v.past(repo)
		end()
	}
	if err != nil {
		return v, err
	}
	if dir != "" {
		if err := w.checkTree(s, dir); err != nil {
			return v, err
		}
	}
	defer w.progress.begin(of(s.Name, "comparing with the cloud"))()
	v.plan, err = look.plan(ctx, v.rev.Commit, v.rev.Files)
	return v, err
}

// checkTree refuses a work tree of which a commit would be refused, and warns of what else differs from it.
func (w wiring) checkTree(s *config.Stack, dir string) error {
	problems, notes := uncommitted(filepath.Join(dir, filepath.FromSlash(s.Spec.Source.Path)), s.Spec.Source.Path, s.Selection())
	for _, n := range notes {
		w.log.Warn("the work tree differs from what a commit holds", "stack", s.Name, "file", n.Origin.File, "reason", n.What)
	}
	return problems.Sorted().Err()
}

// pastOfTree is what the files of a work tree were: as they are committed, and before. Where Git cannot say it, a warning does.
func (w wiring) pastOfTree(s *config.Stack, dir string) resolve.Past {
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		repo, head, err := source.Committed(dir, s.Spec.Source.Path)
		if repo == nil && err == nil {
			return nil
		}
		if err == nil {
			defer func() { _ = repo.Close() }()
			err = committed(ctx, repo, head, visit)
		}
		if err != nil && ctx.Err() == nil {
			w.log.Warn("the work tree is not compared with its commits", "stack", s.Name, "reason", source.Public(err).Error())
			return nil
		}
		return err
	}
}

func committed(ctx context.Context, repo *source.Repo, head string, visit func(string, fs.FS) bool) error {
	rev, err := repo.At(ctx, head)
	if err != nil || !visit(rev.Commit, rev.Files) {
		return err
	}
	return agent.PastOf(repo.Earlier, rev)(ctx, visit)
}

// past is what the revision's files were: on its branch, or on the one that it was merged into.
func (v seen) past(repo *source.Repo) resolve.Past {
	if v.base.Commit == "" {
		return agent.PastOf(repo.Earlier, v.rev)
	}
	return func(ctx context.Context, visit func(string, fs.FS) bool) error {
		if !visit(v.base.Commit, v.base.Files) {
			return nil
		}
		return agent.PastOf(repo.Earlier, v.base)(ctx, visit)
	}
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
