package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/survey"
)

func (a *app) plan() *cobra.Command {
	var ref, dir, output string
	var code bool
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Show what a revision would change; changes nothing",
		Args:    exactly,
		Example: "  stackreeve plan\n  stackreeve plan --stack prod --ref my-change\n  stackreeve plan --dir . -o json\n  stackreeve plan --target VirtualMachine/web-1 --target 'Network/*'",
	}
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to plan, merged into the stack's branch unless the branch contains it (default the branch)")
	cmd.Flags().StringVar(&dir, "dir", "", "plan the files in DIR, a work tree of the repository, instead of a commit; files that Git ignores are included")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, markdown, or codequality for a Code Quality report of GitLab")
	cmd.Flags().BoolVar(&code, "exit-code", true, "exit with 2 if the plan has changes; with --exit-code=false, exit with 0 then")
	targets := a.targetFlag(cmd)
	agent := askerFlags(cmd)
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json", "markdown", codeQuality); err != nil {
			return err
		}
		if dir != "" && (ref != "" || output == "markdown") {
			return errors.New("--dir plans files that are not in a commit, so it cannot be used with --ref or with -o markdown; remove --ref, and use -o text, json or codequality")
		}
		stacks, err := load()
		if err == nil && dir != "" {
			err = ofOneRepository(stacks)
		}
		if err != nil {
			return err
		}
		opener := a.opener()
		if opener.Targets, err = targets(stacks); err != nil {
			return err
		}
		var notes []forge.Annotation
		outcome := differencesAre(code, a.each(opener, stacks, func(o session.Opener, s *config.Stack) (plan.Plan, error) {
			seen, err := o.Preview(cmd.Context(), s, ref, dir)
			var said *survey.Word
			if err == nil && ref == "" && dir == "" && opener.Targets == nil { // the agent plans only the branch, and all of it
				said = agent().Word(cmd.Context(), s.Name)
				seen.Plan = said.Tell(seen.Plan)
			}
			switch {
			case output == "markdown":
				fmt.Fprint(a.out, seen.Page(s, err).Markdown())
			case output == codeQuality:
				notes = append(notes, seen.Page(s, err).Annotations()...)
			case err != nil:
			case output == "json":
				err = report.JSON(a.out, report.Document(seen.Plan, seen.Preflight, seen.Rev))
			default:
				a.planText(seen, said, approveCommand(cmd, s.Name))
			}
			return seen.Plan, err
		}))
		if output == codeQuality {
			if err := report.JSON(a.out, report.CodeQuality(notes)); err != nil {
				return err
			}
		}
		return outcome
	}
	return cmd
}

// planText writes a plan for people, with what the agent that serves the stack says of it.
func (a *app) planText(seen session.Previewed, said *survey.Word, approve string) {
	text := a.text()
	text.Approve, text.Binding = approve, true
	text.Plan(seen.Plan, seen.Preflight, seen.Rev)
	if word := said.Shown(); word != nil {
		fmt.Fprintf(a.out, "Agent: %s\n", seen.Plan.Secrets.Text(word.String()))
	}
}

// differencesAre returns err. If err only reports differences and failure is false, it returns nil.
func differencesAre(failure bool, err error) error {
	if !failure && errors.Is(err, exit(plan.OutOfSync)) {
		return nil
	}
	return err
}

// among returns the name of a stack if there are several, and "" otherwise.
func among(stacks []config.Stack, s *config.Stack) string {
	if len(stacks) > 1 {
		return s.Name
	}
	return ""
}

// each calls the function look for one stack after the other. An error of one stack does not affect others.
func (a *app) each(o session.Opener, stacks []config.Stack, look func(session.Opener, *config.Stack) (plan.Plan, error)) error {
	worst := plan.InSync
	for i := range stacks {
		plan, err := look(o, &stacks[i])
		if err != nil {
			worst = worse(worst, a.failed(among(stacks, &stacks[i]), err))
			continue
		}
		worst = worse(worst, plan.Outcome())
	}
	return ended(worst)
}

// ofOneRepository returns an error if stacks of several repositories would be compared with one work tree.
func ofOneRepository(stacks []config.Stack) error {
	for _, s := range stacks {
		if s.Spec.Source.URL != stacks[0].Spec.Source.URL {
			return fmt.Errorf("--dir is a work tree of one repository, but the stacks %s and %s have different repositories; choose one with --stack", stacks[0].Name, s.Name)
		}
	}
	return nil
}
