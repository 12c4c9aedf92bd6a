package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/takeover"
)

// exportFlags are the flags of `export`.
type exportFlags struct {
	cloud, project string
	dir, layout    string
	kinds          []string
	all            bool
	from           takeover.Asked
}

func (a *app) export() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write manifests for the objects of a project in a cloud; changes nothing there",
		Long: `Write manifests for the objects of a project in a cloud; changes nothing there.

Each object that no stack owns becomes a manifest with the annotation
stackreeve.dev/adopt: a stack that applies the manifest adopts the object without
other changes and writes its mark on it. Objects of others to which the manifests refer, such as
public networks, images and flavors, become imports.

Values that a manifest cannot contain, such as user data, are not written, and are listed on standard
error. Without --output-dir the manifests go to standard output.

With --terraform-state or --heat-resources, only the objects in that file become manifests,
with the names in that file. Only names and IDs come from the file; all other values come from the
cloud. Standard error lists the resources that stay with the other tool, and the commands that make
the tool forget the others after a stack has adopted them.`,
		Example: `  stackreeve export --cloud prod --output-dir manifests
  stackreeve export --kind Network,Subnet,Router
  stackreeve export --output-dir manifests --layout object
  terraform state pull | stackreeve export --terraform-state - --output-dir manifests
  openstack stack resource list --long -n 5 -f json STACK >resources.json
  stackreeve export --heat-resources resources.json --output-dir manifests`,
		Args: exactly,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.cloud, "cloud", "", "entry of clouds.yaml (default $OS_CLOUD, or the OS_* variables)")
	flags.StringVar(&f.project, "project", "", "project to which the credentials must belong, by ID or name (default any)")
	flags.StringVar(&f.dir, "output-dir", "", "folder to write to; files that exist are never overwritten")
	flags.StringVar(&f.layout, "layout", "kind", "with --output-dir, one file for each kind or object")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only objects of these kinds, with commas between, and imports of the objects to which they refer")
	flags.BoolVar(&f.all, "all", false, "also objects that a stack owns; they cannot be adopted while they have its mark")
	takeoverFlags(flags, &f.from)
	flags.IntVar(&a.parallel, "parallelism", 10, "how many lists are read at the same time")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log every request to the cloud")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "do not show progress")
	_ = cmd.RegisterFlagCompletionFunc("layout", cobra.FixedCompletions([]string{"kind", "object"}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(describe.Names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.quiet {
			a.progress.Hush()
		}
		return a.exported(cmd.Context(), f)
	}
	return cmd
}

func (a *app) exported(ctx context.Context, f exportFlags) error {
	if err := oneOf("--layout", f.layout, "kind", "object"); err != nil {
		return err
	}
	in := export.Input{All: f.all}
	for _, name := range f.kinds {
		d, err := describe.Find(name, nil)
		if err != nil {
			return fmt.Errorf("--kind: %w", err)
		}
		in.Only = append(in.Only, d.GVK.Kind)
	}
	from, err := f.from.Read(os.Stdin)
	if err != nil {
		return err
	}
	in.Chosen = from.Chosen()
	r, err := a.survey(ctx, f, in)
	if err != nil {
		return err
	}
	if f.dir == "" {
		for _, o := range r.Objects {
			fmt.Fprintf(a.out, "---\n%s", o.Text)
		}
	} else if err := export.Write(f.dir, f.layout == "object", r.Objects); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintln(a.err, printable.Line("note: "+noteText(n)))
	}
	if len(r.Objects) == 0 {
		fmt.Fprintln(a.err, "nothing to write: the project has no object "+from.Which()+"that no stack owns")
	}
	return from.Report(a.err, r)
}

func (a *app) survey(ctx context.Context, f exportFlags, in export.Input) (export.Result, error) {
	done := a.progress.Begin("reading the cloud")
	defer done()
	client, err := cloud.Open(ctx, cloud.Config{Cloud: f.cloud, Project: f.project, ProjectBy: "--project", Version: version(), Log: a.logger(false), Wrap: a.progress.Requests("")})
	if err != nil {
		return export.Result{}, err
	}
	in.Kinds = all.Kinds(client, defaults.Defaults{Region: client.Region})
	in.Have = (&engine.Engine{Kinds: in.Kinds, Parallelism: a.parallel, Log: a.logger(false)}).Survey(ctx)
	return export.Make(ctx, in)
}

func noteText(n export.Note) string {
	words := []string{n.Kind + "/" + n.Name}
	if n.ID != "" {
		words[0] += " (" + n.ID + ")"
	}
	if n.Field != "" {
		words = append(words, n.Field)
	}
	return strings.Join(append(words, n.Text), ": ")
}

// takeoverFlags adds the flags for objects that other tools manage.
func takeoverFlags(flags *pflag.FlagSet, of *takeover.Asked) {
	flags.StringVar(&of.Terraform, "terraform-state", "", "only the objects in this Terraform state (version 4); - is standard input")
	flags.StringVar(&of.Heat, "heat-resources", "", "only the objects in this list of a Heat stack's resources, in JSON; - is standard input")
	flags.StringVar(&of.Removals, "state-rm", "", "with --terraform-state: write the terraform state rm commands to this file, which must not exist yet, instead of standard error")
}
