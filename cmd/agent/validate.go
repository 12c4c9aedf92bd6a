package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// outputsOfValidate are the values of its -o.
var outputsOfValidate = []string{"text", "json", "sarif", "github"}

func (a *app) validate() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "validate [PATH…]",
		Short: "Check manifests, without a cloud",
		Long: `Check manifests, without a cloud.

PATH is a folder of manifests, read as it lies there, a manifest, - for
manifests on standard input, or a configuration file. All manifests together are
one stack: what one of them refers to must be among them.

--config (with --stack) says whose spec.defaults and policies count. Without PATH the
configuration itself is checked, with what flags say, and the files with
credentials that it names.`,
		Example: "  stackreeve validate clouds/prod\n  stackreeve validate -o github clouds/prod\n  kustomize build . | stackreeve validate -\n  stackreeve validate --config stackreeve.yaml",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", strings.Join(outputsOfValidate[:3], ", ")+", or github for commands that mark lines of pull requests in GitHub, Gitea and Forgejo Actions")
	a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, outputsOfValidate...); err != nil {
			return err
		}
		if a.quiet {
			a.progress.hush()
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
	case "github":
		v.Workflow(cmp.Or(a.commands, a.out))
		v.Text(a.err, a.err)
	default:
		v.Text(a.out, a.err)
	}
	return nil
}

// validation checks all that is named, and fails where it cannot be read.
func (a *app) validation(cmd *cobra.Command, args []string) (v report.Validation, err error) {
	configs, parts, err := sortPaths(cmd, args)
	if err != nil {
		return v, err
	}
	v.Paths = args
	var beside []config.Stack // the stacks of a configuration that is named beside manifests
	if len(args) == 0 {
		if configs, err = a.configFiles(config.Environment()); err == nil && len(configs) == 0 {
			err = errors.New("validate what? name folders or files with manifests, - for standard input, or a configuration with --config")
		}
		v.Paths = configs
	}
	if err != nil {
		return v, err
	}
	if len(configs) > 0 {
		given := config.Settings(nil)
		if len(args) == 0 { // else they are for the manifests
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
		problems = append(problems, checkOutside(stacks)...)
		if len(args) > 0 { // it may be checked elsewhere than where the agent runs
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
	return v, a.readParts(cmd.Context(), &v, stack, judging(stack, beside), parts)
}

// judging is the stack whose policies are tried: the one that was chosen, or the only one of a configuration beside the
// manifests; nil for none.
func judging(stack *config.Stack, beside []config.Stack) *config.Stack {
	if len(beside) == 1 {
		stack = &beside[0]
	}
	if !stack.HasPolicies() {
		return nil
	}
	return stack
}

// checkOutside says what is wrong with what stacks name on this machine besides files: entries of clouds.yaml and
// repositories.
func checkOutside(stacks []config.Stack) (problems manifest.Problems) {
	for i := range stacks {
		s := &stacks[i]
		add := func(field string, err error) {
			if err != nil {
				problems = append(problems, manifest.Problem{Origin: s.Where(field), Key: manifest.Key{Kind: config.GVK.Kind, Name: s.Name}, Field: field, What: printable.Line(private.Text(err))})
			}
		}
		if cloudName := s.MainCloud(); cloudName != "" && !s.PerFolder() {
			add("spec.cloud", cloud.CheckEntry(cloudName))
		}
		for j, name := range s.Spec.Clouds {
			add(fmt.Sprintf("spec.clouds[%d]", j), cloud.CheckEntry(name))
		}
		add("spec.source.url", s.Repo("", nil).CheckLocal())
	}
	return problems
}

// sortPaths separates configuration files from manifests. What lies in a folder that
// is named, too, is read once.
func sortPaths(cmd *cobra.Command, args []string) (configs []string, parts []manifest.Part, err error) {
	clean := make([]string, len(args))
	for i, path := range args {
		clean[i] = filepath.Clean(path)
	}
	var problems []error
	for i, path := range clean {
		if args[i] == "-" {
			parts = append(parts, manifest.Part{Name: "stdin", Text: cmd.InOrStdin()})
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("%w; name files, or folders with manifests", err))
		case slices.Contains(clean[:i], path) || slices.ContainsFunc(clean, func(other string) bool { return other != path && below(path, other) }):
		case info.IsDir():
			rev, err := source.Dir(path)
			problems = append(problems, err)
			parts = append(parts, manifest.Part{Name: filepath.ToSlash(path), Files: rev.Files})
		case info.Mode().IsRegular() && config.Is(path):
			configs = append(configs, args[i])
		default:
			parts = append(parts, manifest.Part{Name: filepath.ToSlash(path), Text: &named{path: path}})
		}
	}
	return configs, parts, errors.Join(problems...)
}

// below reports whether a path lies in a folder. Both are clean.
func below(path, folder string) bool {
	if folder == "." {
		return filepath.IsLocal(path)
	}
	return strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// named is the content of a file that a person has named, opened when it is read.
type named struct {
	path string
	rest *strings.Reader
}

// Read implements io.Reader.
func (n *named) Read(p []byte) (int, error) {
	if n.rest == nil {
		const most = 4<<20 + 1 // a byte more than a manifest may have
		text, err := localfile.ReadNamed(n.path, most)
		if err != nil {
			return 0, err
		}
		n.rest = strings.NewReader(string(text))
	}
	return n.rest.Read(p)
}

// stackOf is the configured stack, if one is named, with what flags say.
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

// readParts reads manifests and takes down what is to be said of them.
func (a *app) readParts(ctx context.Context, v *report.Validation, stack, judge *config.Stack, parts []manifest.Part) error {
	defer a.progress.begin("reading the manifests")()
	r, err := a.wiring(a.logger(false)).reader(ctx, stack, "", stack.Bounds())
	if err != nil {
		return err
	}
	reading, err := r.ReadParts(ctx, parts)
	v.Ignored = reading.Ignored
	for _, part := range parts {
		if part.Files != nil && part.Name != "" {
			problems, notes := uncommitted(filepath.FromSlash(part.Name), part.Name, manifest.Selection{})
			err, v.Notes = withMore(err, problems), append(v.Notes, notes...)
		}
	}
	if err = withFolders(parts, err); err != nil {
		return err
	}
	v.Notes = append(v.Notes, plan.Rivals(r.Kinds, reading.Want)...)
	for _, s := range plan.ScarceIn(r.Kinds, reading.Want) {
		v.Notes = append(v.Notes, manifest.Problem{Origin: s.Origin, Key: s.Key, What: s.What()})
	}
	v.Notes = append(v.Notes, plan.Lookups(reading.Want)...)
	if judge != nil {
		problems, notes := judge.TryPolicies(plan.Compute(plan.Input{Stack: judge.Name, Kinds: r.Kinds, Want: reading.Want}))
		v.Problems, v.Notes = append(v.Problems, problems...), append(v.Notes, notes...)
	}
	for _, d := range reading.Want {
		if d.Parent.Kind == "" {
			v.Objects++
		}
		for _, n := range d.Notes {
			v.Notes = append(v.Notes, manifest.Problem{Origin: d.Origin, Key: d.Key, Field: printable.Line(n.Field), What: n.Text})
		}
	}
	return nil
}

// withFolders adds what is wrong with what folders say to the agent to what is wrong
// with their manifests.
func withFolders(parts []manifest.Part, err error) error {
	var problems manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	for _, part := range parts {
		if part.Files == nil {
			continue
		}
		var more manifest.Problems
		if _, err := config.ReadFolder(part.Files); err != nil && !errors.As(err, &more) {
			return err
		}
		for _, p := range more {
			p.Origin.File = path.Join(part.Name, p.Origin.File)
			problems = append(problems, p)
		}
	}
	return problems.Sorted().Err()
}
