package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/validate"
)

// codeQuality is the value of -o for a Code Quality report of GitLab.
const codeQuality = "codequality"

// outputsOfValidate are the possible values of -o.
var outputsOfValidate = []string{"text", "json", "sarif", codeQuality, "github"}

func (a *app) validate() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "validate [PATH…]",
		Short: "Check manifests, without a cloud",
		Long: `Check manifests, without a cloud.

PATH is a folder of manifests on disk, a manifest, - for manifests on standard
input, or a configuration file. All manifests together are one stack: an object to
which one of them refers must be among them.

--config (with --stack) chooses the stack whose spec.defaults and policies are used. Without PATH,
the command checks the configuration itself, with all flags, and the files with credentials that it
names.`,
		Example: "  stackreeve validate clouds/prod\n  stackreeve validate -o github clouds/prod\n  kustomize build . | stackreeve validate -\n  stackreeve validate --config stackreeve.yaml",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", strings.Join(outputsOfValidate[:len(outputsOfValidate)-1], ", ")+", or github for commands that mark lines of pull requests in GitHub, Gitea and Forgejo Actions; codequality is for GitLab")
	a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, outputsOfValidate...); err != nil {
			return err
		}
		if a.quiet {
			a.progress.Hush()
		}
		found, err := a.validation(cmd, args)
		if problems := (manifest.Problems)(nil); errors.As(err, &problems) {
			found.Problems, err = append(found.Problems, problems...), nil
		}
		if err != nil {
			return err
		}
		if err := a.showValidation(found, output); err != nil || len(found.Problems) == 0 {
			return err
		}
		return ended(plan.Invalid)
	}
	return cmd
}

func (a *app) showValidation(v report.Validation, output string) error {
	switch output {
	case "json":
		return report.JSON(a.out, v.Document())
	case "sarif":
		return report.JSON(a.out, v.SARIF(program, version()))
	case codeQuality:
		v.Text(a.err, a.err)
		return report.JSON(a.out, report.CodeQuality(v.Annotations()))
	case "github":
		v.Workflow(cmp.Or(a.commands, a.out))
		v.Text(a.err, a.err)
	default:
		v.Text(a.out, a.err)
	}
	return nil
}

// validation checks all files and folders in the arguments. It returns an error if something cannot be read.
func (a *app) validation(cmd *cobra.Command, args []string) (v report.Validation, err error) {
	configs, parts, err := validate.Sort(cmd.InOrStdin(), args)
	if err != nil {
		return v, err
	}
	v.Paths = args
	var beside []config.Stack // the stacks of a configuration that is named together with manifests
	if len(args) == 0 {
		if configs, err = a.configFiles(config.Environment()); err == nil && len(configs) == 0 {
			err = errors.New("nothing to validate: name folders or files with manifests, - for standard input, or a configuration with --config")
		}
		v.Paths = configs
	}
	if err != nil {
		return v, err
	}
	if len(configs) > 0 {
		given := config.Settings(nil)
		if len(args) == 0 { // if there are arguments, the settings are for the manifests
			given = typed(cmd.Flags())
		}
		stacks, err := loadStacks(configs, given)
		v.Stacks, beside = len(stacks), stacks
		if problems := (manifest.Problems)(nil); errors.As(err, &problems) {
			v.Problems, err = append(v.Problems, problems...), nil
		}
		if err != nil {
			return v, err
		}
		problems, notes := config.CheckFiles(stacks)
		problems = append(problems, validate.Outside(stacks)...)
		if len(args) > 0 { // the check may run on another machine than the agent
			problems, notes = nil, append(notes, problems...)
		}
		v.Problems, v.Notes = append(v.Problems, problems...), append(v.Notes, notes...)
	}
	if len(parts) == 0 {
		return v, nil
	}
	stack, err := a.stackOf(settings(cmd.Flags()))
	if err != nil {
		return v, err
	}
	return v, validate.Parts(cmd.Context(), a.opener(), &v, stack, validate.Judging(stack, beside), parts)
}

// stackOf returns the configured stack with the settings of flags. Without a configuration, it makes a stack.
func (a *app) stackOf(s config.Settings) (*config.Stack, error) {
	if len(a.configs) == 0 {
		s["stack"], s["url"] = cmp.Or(s["stack"], "validate"), cmp.Or(s["url"], ".")
	}
	stacks, err := loadStacks(a.configs, s)
	switch {
	case err != nil:
		return nil, err
	case len(stacks) > 1:
		return nil, fmt.Errorf("the configuration has %d stacks; choose one with --stack", len(stacks))
	}
	return &stacks[0], nil
}
