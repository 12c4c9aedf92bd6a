package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) validate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate PATH",
		Short: "Say everything about manifests that can be said without a cloud",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			rev, err := source.Dir(args[0])
			if err != nil {
				return err
			}
			want, _, err := reconcile.Read(rev.Files, all.Kinds(nil), reconcile.Defaults{})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s, no problem\n", count(len(want), "object"))
			return nil
		},
	}
}
