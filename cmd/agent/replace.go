package main

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
)

func (a *app) replace() *cobra.Command {
	var output, approve string
	cmd := &cobra.Command{
		Use:   "replace KIND/NAME…",
		Short: "Delete and recreate objects although nothing differs, as a plan of its own",
		Long: `Delete and recreate objects although nothing differs, as a plan of its own.

Without --approve, the command shows that plan and changes nothing. The plan is
limited to the named objects and to what must follow them. Of a machine, the server
is replaced; members of a group are replaced in turn.`,
		Args:    cobra.MinimumNArgs(1),
		Example: "  stackreeve replace Server/web-1\n  stackreeve replace Server/web-1 --approve 3f2a…",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.completeObjects(cmd, nil, typed)
		},
	}
	cmd.Flags().StringVar(&approve, "approve", "", "hash of the shown plan; exactly that plan is carried out, or nothing")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, "text", "json"); err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		if len(stacks) != 1 {
			return errors.New("objects of one stack are replaced, and the configuration has several; choose one with --stack")
		}
		opener := a.opener()
		opener.Recreate = true
		for _, name := range args {
			t, err := targetOf(name)
			if err != nil {
				return err
			}
			opener.Targets = append(opener.Targets, t)
		}
		again := func(stack string) string { return replaceCommand(cmd, args, stack) }
		if approve != "" {
			if err := config.CheckMade(stacks).Err(); err != nil {
				return err
			}
			return a.once(cmd, opener, stacks, approve, again)
		}
		return a.each(opener, stacks, func(o session.Opener, s *config.Stack) (plan.Plan, error) {
			seen, err := o.Preview(cmd.Context(), s, "", "")
			if err == nil {
				err = replaced(seen.Plan, opener.Targets)
			}
			if err != nil {
				return seen.Plan, err
			}
			if output == "json" {
				return seen.Plan, report.JSON(a.out, report.Document(seen.Plan, seen.Preflight, seen.Rev))
			}
			a.planText(seen, nil, again(s.Name))
			return seen.Plan, nil
		})
	}
	return cmd
}

// replaceCommand returns the command that carries out the shown plan, without the hash at its end.
func replaceCommand(cmd *cobra.Command, names []string, stack string) string {
	words := []string{"replace"}
	for _, name := range names {
		words = append(words, quote(name))
	}
	return approving(cmd, words...) + " --stack " + stack + " --approve"
}

// replaced returns an error if a target names no object that the plan replaces or refuses to replace.
func replaced(p plan.Plan, targets []plan.Target) error {
	if len(p.Limit.Missing) > 0 {
		return nil // the plan says so
	}
	for _, s := range p.Steps {
		if s.Action == plan.Delete && slices.ContainsFunc(targets, func(t plan.Target) bool { return t.Names(s.Key) }) {
			return fmt.Errorf("%s has no manifest, so there is nothing to recreate it from", s.Key)
		}
	}
	requested := func(s plan.Step) bool {
		return s.Action == plan.Refuse || slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field == plan.RequestField || c.Field == plan.HealthField })
	}
	if !slices.ContainsFunc(p.Steps, requested) {
		return fmt.Errorf("nothing is replaced: %s is neither an object in the cloud nor a machine; name one of its parts, as status shows them", targets[0])
	}
	return nil
}

// targetFlag adds the flag that limits a plan to some objects. The returned function reads it after parsing.
func (a *app) targetFlag(cmd *cobra.Command) func([]config.Stack) ([]plan.Target, error) {
	var names []string
	cmd.Flags().StringArrayVar(&names, "target", nil, "only these objects, as Kind/name, and what they need; * in a name is any text; can be repeated")
	_ = cmd.RegisterFlagCompletionFunc("target", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return a.completeObjects(cmd, nil, typed)
	})
	return func(stacks []config.Stack) ([]plan.Target, error) {
		if len(names) > 0 && len(stacks) > 1 {
			return nil, errors.New("--target names objects of one stack, and the configuration has several; choose one with --stack")
		}
		var list []plan.Target
		for _, name := range names {
			t, err := targetOf(name)
			if err != nil {
				return nil, fmt.Errorf("--target: %w", err)
			}
			list = append(list, t)
		}
		return list, nil
	}
}

// targetOf reads a target. The kind may have any name that people use for it.
func targetOf(name string) (plan.Target, error) {
	o, err := report.ParseObject(name)
	if err != nil {
		return plan.Target{}, err
	}
	for _, text := range []string{o.Namespace, o.Name} {
		if _, err := path.Match(text, ""); err != nil {
			return plan.Target{}, fmt.Errorf("%s has a pattern that cannot be read; use * for any text", name)
		}
	}
	if d, err := describe.Find(o.Kind, nil); err == nil { // any other kind may be defined in the repository
		o.Kind = d.GVK.Kind
	}
	return plan.Target(o), nil
}
