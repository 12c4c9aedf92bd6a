package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/secretfiles"
	"github.com/stackreeve/stackreeve/internal/sops"
	"github.com/stackreeve/stackreeve/internal/validate"
)

func (a *app) secrets() *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "Find secrets in clear text, and encrypt files", Args: cobra.NoArgs}
	cmd.AddCommand(a.secretsCheck(), a.secretsEncrypt())
	return cmd
}

// clearSecret is a finding in the output in JSON.
type clearSecret struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Object string `json:"object"`
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

func (a *app) secretsCheck() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "check [PATH…]",
		Short: "List secrets in clear text in folders of manifests",
		Long: `List secrets in clear text in folders of manifests.

These are the data of Secrets, the values of fields for secrets, and texts that
look like private keys or tokens. The exit code is 1 if there are any. Values are
not shown, and nothing is decrypted.

With --config, PATH is the folder of the stack (spec.source.path). All files that
the stack reads are searched: overlays, patches, and files with values.`,
		Example: "  stackreeve secrets check clouds/prod",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, "text", "json"); err != nil {
			return err
		}
		found, err := a.clearSecrets(cmd, args)
		if found == nil {
			return err
		}
		if shown := a.showClearSecrets(found, output); shown != nil || err != nil || len(found) == 0 {
			return errors.Join(err, shown)
		}
		return ended(plan.Broken)
	}
	return cmd
}

func (a *app) showClearSecrets(found []clearSecret, output string) error {
	if output == "json" {
		return report.JSON(a.out, found)
	}
	for _, f := range found {
		parts := []string{fmt.Sprintf("%s:%d", report.Clean(f.File), f.Line), report.Clean(f.Object), report.Clean(f.Field), f.Reason}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		fmt.Fprintln(a.out, strings.Join(parts, ": "))
	}
	return nil
}

// clearSecrets looks at the files that a stack reads, and at the objects that they make. If there is an error, the list has what was found
// before; nil means that nothing was read.
func (a *app) clearSecrets(cmd *cobra.Command, args []string) ([]clearSecret, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	_, parts, err := validate.Sort(cmd.InOrStdin(), args)
	if err != nil {
		return nil, err
	}
	stack, err := a.stackOf(settings(cmd.Flags()))
	if err != nil {
		return nil, err
	}
	if parts, err = validate.Layered(stack, parts); err != nil {
		return nil, err
	}
	o := a.opener()
	o.Sealed = true
	reader, err := o.Reader(cmd.Context(), stack, "", stack.Bounds())
	if err != nil {
		return nil, err
	}
	files := secretfiles.Files{Parts: parts, Selection: stack.Selection(), Kustomize: stack.Spec.Source.Kustomize}
	for _, from := range stack.Values().From {
		if from.File != "" {
			files.Values = append(files.Values, from.File)
		}
	}
	read, parts, err := files.Read(cmd.Context())
	reader.Missing = true // the folder may be a part of a stack
	reading, err2 := reader.ReadParts(cmd.Context(), validate.Selected(stack, parts))
	found := secretfiles.Together(secretfiles.InClear(reading.Want), secretfiles.InDocuments(read, slices.Concat(reader.Kinds, reading.Defined)))
	list := []clearSecret{}
	for _, f := range found {
		list = append(list, clearSecret{f.Origin.File, f.Origin.Line, f.Key.String(), f.Field, string(f.Why)})
	}
	return list, errors.Join(err2, err) // err2 first, because it has the problems of all files
}

func (a *app) secretsEncrypt() *cobra.Command {
	var e sops.Encryption
	cmd := &cobra.Command{
		Use:   "encrypt FILE…",
		Short: "Encrypt YAML files in place, in the format of SOPS",
		Long: `Encrypt YAML files in place, in the format of SOPS.

Comments are kept; those of encrypted parts are encrypted, too. Without flags, the
creation rules of the nearest .sops.yaml count.`,
		Example: "  stackreeve secrets encrypt --age age1… secret.yaml",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().StringSliceVar(&e.Recipients, "age", nil, "public key of age that can decrypt the file; may be repeated")
	cmd.Flags().StringVar(&e.Expression, "encrypted-regex", "", "regular expression for the keys whose values are encrypted (default "+sops.UsualExpression+")")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if e.Expression != "" {
			e.Field = sops.UsualField
		}
		for _, file := range args {
			if err := secretfiles.Encrypt(file, e, time.Now()); err != nil {
				return err
			}
			if !a.quiet {
				fmt.Fprintf(a.out, "%s: encrypted\n", report.Clean(file))
			}
		}
		return nil
	}
	return cmd
}
