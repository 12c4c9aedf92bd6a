package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/survey"
)

func (a *app) replace() *cobra.Command {
	var output, approve string
	cmd := &cobra.Command{
		Use:   "replace KIND/NAME…",
		Short: "Delete and recreate objects although nothing differs, as a plan of its own",
		Long: `Delete and recreate objects although nothing differs, as a plan of its own.

Without --approve, the command shows that plan and changes nothing. The plan is
limited to the named objects and to what must follow them. Of a machine, the server
is replaced; members of a group are replaced in turn. With --approve and a control
token, the agent that serves the stack carries the plan out.`,
		Args:    cobra.MinimumNArgs(1),
		Example: "  stackreeve replace Server/web-1\n  stackreeve replace Server/web-1 --approve 3f2a…",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.completeObjects(cmd, nil, typed)
		},
	}
	cmd.Flags().StringVar(&approve, "approve", "", "hash of the shown plan; exactly that plan is carried out, or nothing")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	agent := askerFlags(cmd)
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
		if by := agent(); approve != "" && by.Server != "" && by.Token != "" {
			return a.askToReplace(cmd.Context(), by, stacks[0].Name, approve, opener.Targets)
		}
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

// askToReplace makes the agent that serves a stack carry out a plan that a person has read.
func (a *app) askToReplace(ctx context.Context, by survey.Asker, stack, hash string, targets []plan.Target) error {
	client, err := control.NewClient(by.Server, by.Token, by.CA)
	if err != nil {
		return err
	}
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.String()
	}
	if err := client.Replace(ctx, stack, hash, names); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "requested: the agent at %s carries the plan out now, unless the plan has changed\n", by.Server)
	return err
}

// replaceCommand returns the command that carries out the shown plan, without the hash at its end.
func replaceCommand(cmd *cobra.Command, names []string, stack string) string {
	words := []string{"replace"}
	for _, name := range names {
		words = append(words, quote(name))
	}
	text := approving(cmd, words...)
	for _, name := range []string{"server", "control-token-file", "control-ca-file"} {
		if f := cmd.Flag(name); f.Changed {
			text += " --" + name + "=" + quote(f.Value.String())
		}
	}
	return text + " --stack " + stack + " --approve"
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
	t, err := report.ParseTarget(name)
	if d, unknown := describe.Find(t.Kind, nil); err == nil && unknown == nil { // any other kind may be defined in the repository
		t.Kind = d.GVK.Kind
	}
	return t, err
}
