package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
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
			d, err := find(name, further)
			if err != nil {
				return err
			}
			if recursive {
				if path != "" {
					return fmt.Errorf("--recursive explains all of a kind; leave out .%s", path)
				}
				return a.explainFully(d)
			}
			text, err := explained(d, path)
			if err != nil {
				return fmt.Errorf("%s: %w", d.gvk.Kind, err)
			}
			fmt.Fprintf(a.out, "KIND:       %s\nAPIVERSION: %s\n\n", d.gvk.Kind, d.gvk.APIVersion())
			if path == "" {
				fmt.Fprintf(a.out, "%s\n\n", d.doc)
			}
			fmt.Fprint(a.out, text)
			return nil
		},
	}
	definitions = definitionsFlag(cmd)
	cmd.Flags().BoolVar(&recursive, "recursive", false, "every field of the kind in one outline, and an example")
	return cmd
}

// explained is what there is to say of a field; spec.resource, or spec, may be left out
// of its path, whose first field says whether they are. The error for a field that there is not says where one of its name is.
func explained(d described, path string) (string, error) {
	first, _, _ := strings.Cut(path, ".")
	for _, below := range []string{"spec.resource.", "spec."} {
		if path != "" && !manifest.HasField(d.body, first) && manifest.HasField(d.body, below+first) {
			path = below + path
			break
		}
	}
	text, err := manifest.Explain(d.body, path)
	if err == nil {
		return text, nil
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	there := manifest.FieldsNamed(d.body, last)
	for _, end := range []string{"Ref", "Refs"} { // what refers to an object is called after it
		there = append(there, manifest.FieldsNamed(d.body, last+end)...)
	}
	if len(there) > 0 {
		const most = 5
		err = fmt.Errorf("%w; there is %s", err, strings.Join(there[:min(len(there), most)], ", "))
	}
	return "", err
}

// explainFully is everything about a kind on one page.
func (a *app) explainFully(d described) error {
	outline, err := manifest.Outline(d.body)
	if err != nil {
		return fmt.Errorf("%s: %w", d.gvk.Kind, err)
	}
	example, err := exampleOf(d)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "KIND:       %s\nAPIVERSION: %s\n\n%s\n\nFIELDS:\n%s\nEXAMPLE:\n%s", d.gvk.Kind, d.gvk.APIVersion(), d.doc, outline, example)
	return nil
}

// explainAll lists the kinds, and the annotations that all of them take.
func (a *app) explainAll(further []described) error {
	table := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tAPIVERSION\tWHAT IT IS")
	for _, d := range append(describedKinds(), further...) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", d.gvk.Kind, d.gvk.APIVersion(), d.doc)
	}
	fmt.Fprintln(table, "\nANNOTATION\t\tWHAT IT DOES")
	annotations := resolve.Annotations()
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		fmt.Fprintf(table, "%s\t\t%s\n", name, annotations[name])
	}
	return table.Flush()
}
