package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/inspect"
	"github.com/stackreeve/stackreeve/internal/report"
)

// forge returns the parent of the commands about forges.
func (a *app) forge() *cobra.Command {
	cmd := &cobra.Command{Use: "forge", Short: "Look at the forges that stacks report to", Args: exactly}
	cmd.AddCommand(a.forgeCheck())
	return cmd
}

func (a *app) forgeCheck() *cobra.Command {
	var output, secret string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check whether the credentials are sufficient for the forge; changes nothing",
		Long: `Check whether the credentials are sufficient for the forge; changes nothing.

For each repository that stacks report to, a table shows each task of the agent, whether it works, and which
permission of the forge allows it. The agent tries tasks that only read. For tasks that write, it asks the forge for
the permissions of the credentials, and writes nothing to a pull request or a commit.

Exit codes: 0 nothing is missing, 1 a forge gives no answer, 2 something is missing, 3 refused input.`,
		Example: "  stackreeve forge check --config stackreeve.yaml\n  stackreeve forge check --stack prod -o json",
		Args:    exactly,
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	cmd.Flags().StringVar(&secret, "webhook-secret-file", os.Getenv("STACKREEVE_WEBHOOK_SECRET_FILE"), "file with the secret of the webhooks, as for `run` ($STACKREEVE_WEBHOOK_SECRET_FILE)")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json"); err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		views := inspect.Inspector{Opener: a.opener(), WebhookSecret: secret}.Stacks(cmd.Context(), stacks)
		if len(views) == 0 {
			return errors.New("no chosen stack reports to a forge; set spec.report in its configuration")
		}
		if output == "json" {
			err = report.JSON(a.out, report.ForgeDocument(views))
		} else {
			a.text().Forges(views)
		}
		if err != nil {
			return err
		}
		return ended(report.ForgeOutcome(views))
	}
	return cmd
}
