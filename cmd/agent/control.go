package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/control"
)

// steer makes what people can ask of the agent, if there is a token for it.
func (svc *service) steer(f runFlags) error {
	svc.control = http.HandlerFunc(control.Off)
	switch {
	case f.controlToken == "":
		return nil
	case f.door.address == "":
		return errors.New("--control-token-file: there is no --listen, so no request can arrive; give it an address")
	}
	handler, err := control.New(control.Config{
		Tokens: func() ([]control.Token, error) { return control.Tokens(f.controlToken) }, Stack: svc.actions, Log: svc.log,
	})
	if err != nil {
		return fmt.Errorf("--control-token-file: %w", err)
	}
	svc.control = handler
	return nil
}

// asking makes a command that asks an agent that runs.
func (a *app) asking(cmd *cobra.Command, ask func(c *control.Client, args []string) error) *cobra.Command {
	var server, token, ca string
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&server, "server", envOr("STACKREEVE_SERVER", "http://127.0.0.1:9464"), "address of the agent ($STACKREEVE_SERVER)")
	flags.StringVar(&token, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "file with the token that the agent takes ($STACKREEVE_CONTROL_TOKEN_FILE)")
	flags.StringVar(&ca, "control-ca-file", os.Getenv("STACKREEVE_CONTROL_CA_FILE"), caUsage)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if token == "" {
			return errors.New("--control-token-file is missing: the agent wants the token that its own --control-token-file holds")
		}
		client, err := control.NewClient(server, token, ca)
		if err != nil {
			return err
		}
		return ask(client, args)
	}
	return cmd
}

// caUsage is that of the flag with which a command trusts an agent whose certificate no public authority has signed.
const caUsage = "file with the certificate of the authority that signed the agent's, in PEM ($STACKREEVE_CONTROL_CA_FILE; default: whom the system trusts)"

func envOr(name, value string) string {
	if text := os.Getenv(name); text != "" {
		return text
	}
	return value
}

// approve is the command that lets a held plan through.
func (a *app) approve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve STACK HASH",
		Short: "Approve a plan that a running agent holds",
		Long: `Lets exactly the plan through that a running agent holds under this hash, and has it reconcile at once.

The log of the agent, the status of the commit and GET /stacks/STACK show the hash. The approval is kept in memory:
it is gone with the process, when the plan changes, and when the plan was carried out.`,
		Args: exactly, ValidArgsFunction: a.completeStacks,
	}
	return a.asking(cmd, func(c *control.Client, args []string) error {
		if err := c.Approve(cmd.Context(), args[0], args[1]); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "approved: the agent carries it out now, unless it has become another plan\n")
		return nil
	})
}

// reconcile is the command that has an agent reconcile now.
func (a *app) reconcile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reconcile STACK",
		Short: "Have a running agent reconcile a stack now",
		Long:  "Has a running agent reconcile a stack now: a pass in progress gives way, a pause after failures ends.",
		Args:  exactly, ValidArgsFunction: a.completeStacks,
	}
	return a.asking(cmd, func(c *control.Client, args []string) error {
		if err := c.Reconcile(cmd.Context(), args[0]); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "asked: the agent reconciles now\n")
		return nil
	})
}
