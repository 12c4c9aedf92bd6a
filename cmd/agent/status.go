package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
)

func (a *app) status() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "status",
		Aliases: []string{"get"},
		Short:   "Show every object with its status; changes nothing",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or yaml")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json", "yaml"); err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		var list []reconcile.ObjectStatus
		worst := a.each(stacks, func(w wiring, s *config.Stack) (reconcile.Plan, error) {
			v, err := w.look(cmd.Context(), s, "", "")
			plan := v.plan
			if err != nil {
				return plan, err
			}
			statuses := reconcile.Statuses(plan, all.Kinds(nil))
			list = append(list, statuses...)
			if output != "text" {
				return plan, nil
			}
			if len(stacks) > 1 {
				fmt.Fprintf(a.out, "stack %s: %s\n", s.Name, plan.Outcome())
			}
			return plan, a.text().Status(statuses)
		})
		switch output {
		case "json":
			err = report.JSON(a.out, report.Statuses(list))
		case "yaml":
			err = report.YAML(a.out, report.Statuses(list))
		}
		if err != nil {
			return err
		}
		return worst
	}
	return cmd
}
