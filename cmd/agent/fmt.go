package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/format"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

func (a *app) format() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH…]",
		Short: "Lay out manifests: indentation, spaces, order of fields",
		Long: `Lay out manifests in place: indentation, spaces, blank lines, and the order of
apiVersion, kind, metadata and spec. Comments and the style of each value are kept.

PATH is a file or a folder (default the working directory), or - to read standard
input and write standard output. Files that SOPS encrypted and files without
manifests stay as they are. The changed files are listed.`,
		Example: "  stackreeve fmt\n  stackreeve fmt --check clouds/prod",
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; list the files whose layout differs, and exit with 2 if there are any")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"."}
		}
		worst := plan.InSync
		failed := func(file string, err error) {
			fmt.Fprintf(a.err, "%s: %s\n", report.Clean(file), report.Clean(err.Error()))
			worst = worse(worst, plan.Broken)
		}
		differs := func(file string) {
			fmt.Fprintln(a.out, report.Clean(file))
			if check {
				worst = worse(worst, plan.OutOfSync)
			}
		}
		for _, arg := range args {
			if arg == "-" {
				text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), format.MaxBytes+1))
				if err == nil {
					err = a.formatted(text, check, differs)
				}
				if err != nil {
					failed("stdin", err)
				}
				continue
			}
			err := format.Each(arg, !check, func(file string, err error) {
				if err != nil {
					failed(file, err)
				} else {
					differs(file)
				}
			})
			if err != nil {
				failed(arg, err)
			}
		}
		return ended(worst)
	}
	return cmd
}

// formatted writes the layout of a text, or says that it differs.
func (a *app) formatted(text []byte, check bool, differs func(string)) error {
	after, err := format.Text(text)
	if err == nil && check && string(after) != string(text) {
		differs("stdin")
	}
	if err == nil && !check {
		_, err = a.out.Write(after)
	}
	return err
}
