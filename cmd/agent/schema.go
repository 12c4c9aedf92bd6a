package main

import (
	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/report"
)

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
