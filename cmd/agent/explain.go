package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/validate"
)

func (a *app) explain() *cobra.Command {
	var recursive bool
	var definitions *[]string
	cmd := &cobra.Command{
		Use:               "explain [KIND[.FIELD…]]",
		Short:             "Explain a kind of object, or one of its fields",
		Example:           "  stackreeve explain\n  stackreeve explain Network\n  stackreeve explain Network.spec.resource.mtu\n  stackreeve explain --recursive Server\n  stackreeve explain --definitions clouds/prod WebShop",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFields,
		RunE: func(cmd *cobra.Command, args []string) error {
			further, err := definedKinds(cmd, *definitions)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.explainAll(further)
			}
			name, path, _ := strings.Cut(args[0], ".")
			d, err := describe.Find(name, further)
			if err != nil {
				return err
			}
			if recursive {
				if path != "" {
					return fmt.Errorf("--recursive explains a whole kind; remove .%s", path)
				}
				return a.explainFully(d)
			}
			text, err := d.Explain(path)
			if err != nil {
				return fmt.Errorf("%s: %w", d.GVK.Kind, err)
			}
			fmt.Fprintf(a.out, "KIND:       %s\nAPIVERSION: %s\n\n", d.GVK.Kind, d.GVK.APIVersion())
			if path == "" {
				fmt.Fprintf(a.out, "%s\n\n", d.Doc)
			}
			fmt.Fprint(a.out, text)
			return nil
		},
	}
	definitions = definitionsFlag(cmd)
	cmd.Flags().BoolVar(&recursive, "recursive", false, "every field of the kind in one outline, and an example")
	return cmd
}

// explainFully prints the complete description of a kind on one page.
func (a *app) explainFully(d describe.Kind) error {
	outline, err := manifest.Outline(d.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", d.GVK.Kind, err)
	}
	example, err := d.Example()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "KIND:       %s\nAPIVERSION: %s\n\n%s\n\nFIELDS:\n%s\nEXAMPLE:\n%s", d.GVK.Kind, d.GVK.APIVersion(), d.Doc, outline, example)
	return nil
}

// explainAll lists the kinds, and the annotations that all of them accept.
func (a *app) explainAll(further []describe.Kind) error {
	table := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tAPIVERSION\tWHAT IT IS")
	for _, d := range append(describe.All(), further...) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", d.GVK.Kind, d.GVK.APIVersion(), d.Doc)
	}
	fmt.Fprintln(table, "\nANNOTATION\t\tWHAT IT DOES")
	annotations := resolve.Annotations()
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		fmt.Fprintf(table, "%s\t\t%s\n", name, annotations[name])
	}
	return table.Flush()
}

// definedKinds returns the kinds that manifests in folders and files define.
func definedKinds(cmd *cobra.Command, paths []string) ([]describe.Kind, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	_, parts, err := validate.Sort(cmd.InOrStdin(), paths)
	if err != nil {
		return nil, err
	}
	return describe.Defined(cmd.Context(), parts)
}

// definitionsFlag adds the flag for the users' own Definitions to a command that describes kinds.
func definitionsFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringSlice("definitions", nil, "folder or file with Definitions, whose kinds are described, too")
}

func (a *app) schema() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print JSON Schemas of manifests, for editors and checkers",
		Long: `Print JSON Schemas of manifests, for editors and checkers.

Without KIND, the command prints one schema that accepts every kind. With --dir, it writes one file
for each kind, as DIR/GROUP/kind_version.json.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: describe.Names(),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder for the files, one for each kind")
	definitions := definitionsFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		further, err := definedKinds(cmd, *definitions)
		if err != nil {
			return err
		}
		kinds := append(describe.All(), further...)
		if len(args) == 1 {
			d, err := describe.Find(args[0], further)
			if err != nil {
				return err
			}
			kinds = []describe.Kind{d}
		}
		switch {
		case dir != "":
			return describe.WriteSchemas(dir, kinds)
		case len(args) == 1:
			schema, err := kinds[0].Schema()
			if err != nil {
				return err
			}
			return report.JSON(a.out, schema)
		}
		schema, err := describe.Combined(kinds)
		if err != nil {
			return err
		}
		return report.JSON(a.out, schema)
	}
	return cmd
}
