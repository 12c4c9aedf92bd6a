package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

const outputsHelp = `Prints values of objects for scripts: IDs, addresses, and the fields that the cloud reports.

A field is a path such as id, addresses.0 or resource.fixedIPs.0.ip. With -o env, the output is one assignment a line, which a
shell can evaluate. Secrets are left out. The exit code is 1 if there is no such object or value, and otherwise 0.`

// outputs returns the command that prints values of objects for scripts.
func (a *app) outputs() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:               "output [KIND/NAME [FIELD]]",
		Short:             "Print values of objects for scripts: IDs, addresses, fields",
		Long:              outputsHelp,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: a.completeObjects,
		Example:           "  stackreeve output Server/web-1 addresses.0\n  stackreeve output -o json\n  eval \"$(stackreeve output FloatingIP/front -o env)\"",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or env")
	agent := askerFlags(cmd)
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, "text", "json", "env"); err != nil {
			return err
		}
		filter, doubts, err := statusFlags{output: "text"}.filter(args[:min(len(args), 1)])
		if err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		if len(stacks) > 1 {
			return errors.New("output is about one stack, and the configuration has several; choose one with --stack")
		}
		s := a.surveyor(cmd, stacks, filter, statusFlags{output: output})
		s.doubts, s.agent = doubts, agent()
		defer s.close()
		list, err := s.outputs(cmd.Context())
		switch {
		case err != nil:
			return err
		case len(args) == 2:
			return a.printValue(list[0], args[1], output)
		}
		return a.printValues(list, output)
	}
	return cmd
}

// outputs returns the values of the chosen objects of the only stack.
func (s *surveyor) outputs(ctx context.Context) (list []report.Outputs, err error) {
	v, err := s.view(ctx, &s.stacks[0])
	if err != nil {
		return nil, err
	}
	for _, o := range s.filter.Select(v.Objects) {
		if o.Status.Surplus {
			continue
		}
		out, err := report.OutputsOf(o)
		if err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	if len(list) > 0 {
		return list, nil
	}
	for kind, doubt := range s.doubts {
		if !v.Has(kind) {
			return nil, doubt
		}
	}
	for _, name := range s.filter.Objects {
		return nil, name.Missing([]report.StatusView{v})
	}
	return nil, errors.New("the stack has no objects")
}

// printValue prints one field of an object.
func (a *app) printValue(of report.Outputs, field, output string) error {
	v, found := of.Find(field)
	if !found {
		return fmt.Errorf("%s has no value %s now; `stackreeve output %s` lists its values", of.Object, field, quote(of.Object))
	}
	one := report.Outputs{Object: of.Object, Fields: map[string]any{field: v}}
	switch {
	case len(one.List()) == 0:
		return fmt.Errorf("%s %s is a secret, or has no value", of.Object, field)
	case output == "json":
		return report.JSON(a.out, v)
	case output == "env":
		return report.OutputEnv(a.out, one.List())
	}
	return report.OutputText(a.out, v)
}

// printValues prints all fields of objects.
func (a *app) printValues(list []report.Outputs, output string) error {
	var values []report.Output
	all := map[string]any{}
	for _, o := range list {
		values = append(values, o.List()...)
		all[o.Object] = o.Fields
	}
	switch {
	case len(values) == 0:
		return errors.New("there is no value yet: none of these objects exists in the cloud")
	case output == "json":
		return report.JSON(a.out, all)
	case output == "env":
		return report.OutputEnv(a.out, values)
	}
	for _, v := range values {
		fmt.Fprintf(a.out, "%s %s %s\n", v.Object, v.Field, printable.Line(v.Value))
	}
	return nil
}

const outdatedHelp = `Lists images, flavors and libraries of stacks for which something newer exists, without changing anything.

Newer is an image that a pattern with "latest: true" finds, a later upload with the same name, a name that differs only in
its numbers and has a greater one, or such a tag of a library's repository. The table says which of these rules applies. The exit
code is 0 if nothing is outdated, 2 if something is, and 1 if something could not be compared.`

// outdated returns the command that lists newer versions of what stacks use.
func (a *app) outdated() *cobra.Command {
	var output string
	var days int
	cmd := &cobra.Command{
		Use:     "outdated",
		Short:   "List newer images, flavors and libraries; changes nothing",
		Long:    outdatedHelp,
		Args:    exactly,
		Example: "  stackreeve outdated\n  stackreeve outdated --stack prod --older-than 90 -o json",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	cmd.Flags().IntVar(&days, "older-than", 0, "also list images of the stack that were created more than this many days ago; 0: list none for their age")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json"); err != nil {
			return err
		}
		if days < 0 || days > maxAge {
			return fmt.Errorf("--older-than: %d is not between 0 and %d days", days, maxAge)
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		worst := plan.InSync
		for i := range stacks {
			s := &stacks[i]
			p, found, err := a.opener().Outdated(cmd.Context(), s, time.Now(), time.Duration(days)*24*time.Hour)
			if err != nil {
				worst = worse(worst, a.failed(among(stacks, s), err))
				continue
			}
			doc := report.Outdated(p, found)
			if output == "json" {
				err = report.JSON(a.out, doc)
			} else {
				err = doc.Text(a.out)
			}
			if err != nil {
				return err
			}
			worst = worse(worst, doc.Outcome())
		}
		return ended(worst)
	}
	return cmd
}

// maxAge is the longest age in days that a person can ask for.
const maxAge = 36_500
