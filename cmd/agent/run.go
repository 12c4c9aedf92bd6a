package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) run() *cobra.Command {
	var f service.Options
	var once bool
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Keep clouds matching their repositories; with --once, one full pass",
		Args:    exactly,
		Example: "  stackreeve run --once\n  stackreeve run --once --stack prod --approve 3f2a…\n  stackreeve run --config stackreeve.yaml --listen 127.0.0.1:9464",
	}
	cmd.Flags().BoolVar(&once, "once", false, "one full pass over all stacks, then exit")
	cmd.Flags().StringVar(&f.Approve, "approve", "", "hash of a plan, as plan shows it: with --once, exactly that plan is carried out, or nothing; without --once, the plan is approved if it is held")
	listenFlags(cmd.Flags(), &f.Listen)
	cmd.Flags().StringVar(&f.WebhookSecret, "webhook-secret-file", os.Getenv("STACKREEVE_WEBHOOK_SECRET_FILE"), "file with the secret of the webhooks at /webhook/FORGE ($STACKREEVE_WEBHOOK_SECRET_FILE; default: webhooks are refused)")
	cmd.Flags().StringVar(&f.ControlToken, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "file with the tokens of people who may request passes and approve plans at /stacks/ ($STACKREEVE_CONTROL_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.APIToken, "api-token-file", os.Getenv("STACKREEVE_API_TOKEN_FILE"), "file with the tokens of people who may read stacks and objects, with kubectl or in a browser ($STACKREEVE_API_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.AgentName, "agent-name", os.Getenv("STACKREEVE_AGENT_NAME"), "name of this agent, if several agents share stacks ($STACKREEVE_AGENT_NAME; default: the name of its machine)")
	cmd.Flags().StringVar(&f.AgentAddress, "agent-address", os.Getenv("STACKREEVE_AGENT_ADDRESS"), "address at which other agents and people reach this agent's --listen, such as https://agent-1:9464 ($STACKREEVE_AGENT_ADDRESS; default: none)")
	cmd.Flags().StringVar(&f.TracesURL, "traces-url", os.Getenv("STACKREEVE_TRACES_URL"), "receiver of OpenTelemetry traces of passes, such as https://collector:4318/v1/traces ($STACKREEVE_TRACES_URL; default: the value of OTEL_EXPORTER_OTLP_ENDPOINT, or none)")
	cmd.Flags().StringVar(&f.TracesHeaders, "traces-headers-file", os.Getenv("STACKREEVE_TRACES_HEADERS_FILE"), "file with headers for that receiver, one line NAME=VALUE for each ($STACKREEVE_TRACES_HEADERS_FILE; default: the value of OTEL_EXPORTER_OTLP_HEADERS, or none)")
	targets := a.targetFlag(cmd)
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a.later = !once
		stacks, err := load()
		if err != nil {
			return err
		}
		if err := config.CheckMade(stacks).Err(); err != nil {
			return err
		}
		opener := a.opener()
		if opener.Targets, err = targets(stacks); err != nil {
			return err
		}
		if once {
			return a.once(cmd, opener, stacks, f.Approve, func(stack string) string { return approveCommand(cmd, stack) })
		}
		if opener.Targets != nil {
			return errors.New("--target limits a single pass; give --once, too")
		}
		a.progress.Hush() // the log reports what the agent does
		f.Log = a.logger(true)
		return service.Run(cmd.Context(), opener, a.documents, f)
	}
	return cmd
}

// listenFlags adds the flags for the addresses at which the agent listens.
func listenFlags(flags *pflag.FlagSet, l *service.Listener) {
	flags.StringVar(&l.Address, "listen", os.Getenv("STACKREEVE_LISTEN"), "address for health, metrics and webhooks, such as 127.0.0.1:9464 ($STACKREEVE_LISTEN; default none)")
	flags.StringVar(&l.Health, "listen-health", os.Getenv("STACKREEVE_LISTEN_HEALTH"), "another address, for health and metrics only, so that many webhooks cannot delay probes ($STACKREEVE_LISTEN_HEALTH; default none)")
	flags.StringVar(&l.Cert, "listen-cert-file", os.Getenv("STACKREEVE_LISTEN_CERT_FILE"), "file with the certificate of the listener and of its authorities; the listener then accepts only TLS ($STACKREEVE_LISTEN_CERT_FILE; default: HTTP)")
	flags.StringVar(&l.Key, "listen-key-file", os.Getenv("STACKREEVE_LISTEN_KEY_FILE"), "file with the key of that certificate ($STACKREEVE_LISTEN_KEY_FILE)")
}

// once runs one pass of every stack. The argument again returns the command that carries out a held plan of a stack, without the hash at its end.
func (a *app) once(cmd *cobra.Command, opener session.Opener, stacks []config.Stack, approved string, again func(stack string) string) error {
	several := len(stacks) > 1
	text := func(s *config.Stack) report.Text {
		text := a.text()
		text.Approve = again(s.Name)
		return text
	}
	once := &service.Once{
		Opener: opener, Stacks: stacks, Approved: approved, Refuse: a.waitsForFolders,
		Show: func(s *config.Stack, last func() source.Revision) service.Viewer {
			return a.watch(s.Name, last, text(s), several)
		},
		Ended: func(s *config.Stack, run report.Run) plan.Outcome { return a.print(text(s), run, several) },
	}
	outcomes, err := once.Run(cmd.Context())
	worst := a.fail(err)
	for _, o := range outcomes {
		worst = worse(worst, o)
	}
	return ended(worst)
}

// waitsForFolders returns an error if a stack depends on a document with unknown folders. Then the stack is not carried out.
func (a *app) waitsForFolders(s *config.Stack) error {
	for _, name := range s.Spec.DependsOn {
		if slices.Contains(a.unlisted, name) {
			return fmt.Errorf("nothing is carried out: the stack depends on %s, whose folders are not known", name)
		}
	}
	return nil
}

func (a *app) watch(stack string, last func() source.Revision, text report.Text, among bool) service.Viewer {
	if a.terminal == nil || among || a.verbose || os.Getenv("TERM") == "dumb" {
		prefix := ""
		if among {
			prefix = stack + ": "
		}
		return report.NewLines(a.out, prefix, last, text)
	}
	return report.NewLive(a.out, func() (int, int) { return size(a.terminal) }, last, text)
}

func size(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}

// print prints the end of a run of `once`.
func (a *app) print(text report.Text, run report.Run, among bool) plan.Outcome {
	stack := ""
	if among {
		stack = run.Stack
	}
	switch {
	case run.Refused != nil:
		return a.failed(stack, run.Refused.Problems)
	case run.Err != nil:
		return a.failed(stack, run.Err)
	}
	text.Pass(*run.Pass)
	return run.Outcome()
}
