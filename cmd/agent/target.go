package main

import (
	"errors"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

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
