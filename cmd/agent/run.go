package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

type runFlags struct {
	once          bool
	approve       string
	door          door
	webhookSecret string
	controlToken  string
	apiToken      string
	// agentName and agentAddress say who this one of several agents is; "" for what the configuration says.
	agentName, agentAddress string
	// tracesURL is where traces go, and tracesHeaders a file with what is sent beside them; "" for what the environment says.
	tracesURL, tracesHeaders string
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Keep clouds matching their repositories; with --once, one full pass",
		Args:    exactly,
		Example: "  stackreeve run --once\n  stackreeve run --once --stack prod --approve 3f2a…\n  stackreeve run --config stackreeve.yaml --listen 127.0.0.1:9464",
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "one full pass over all stacks, then exit")
	cmd.Flags().StringVar(&f.approve, "approve", "", "hash of a plan, as plan shows it: with --once exactly that plan is carried out or nothing; else it is let through when it is held")
	f.door.flags(cmd.Flags())
	cmd.Flags().StringVar(&f.webhookSecret, "webhook-secret-file", os.Getenv("STACKREEVE_WEBHOOK_SECRET_FILE"), "secret of the webhooks at /webhook/github and /webhook/gitea ($STACKREEVE_WEBHOOK_SECRET_FILE; default none are taken)")
	cmd.Flags().StringVar(&f.controlToken, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "tokens of those who may ask for passes and approve plans at /stacks/ ($STACKREEVE_CONTROL_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.apiToken, "api-token-file", os.Getenv("STACKREEVE_API_TOKEN_FILE"), "tokens of those who may read stacks and objects, with kubectl or in a browser ($STACKREEVE_API_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.agentName, "agent-name", os.Getenv("STACKREEVE_AGENT_NAME"), "name of this one of several agents ($STACKREEVE_AGENT_NAME; default: that of its machine)")
	cmd.Flags().StringVar(&f.agentAddress, "agent-address", os.Getenv("STACKREEVE_AGENT_ADDRESS"), "where the others reach its listener, such as https://agent-1:9464 ($STACKREEVE_AGENT_ADDRESS; default: nowhere)")
	cmd.Flags().StringVar(&f.tracesURL, "traces-url", os.Getenv("STACKREEVE_TRACES_URL"), "receiver of OpenTelemetry traces of passes, such as https://collector:4318/v1/traces ($STACKREEVE_TRACES_URL; default what OTEL_EXPORTER_OTLP_ENDPOINT says, or none)")
	cmd.Flags().StringVar(&f.tracesHeaders, "traces-headers-file", os.Getenv("STACKREEVE_TRACES_HEADERS_FILE"), "headers for it, a line NAME=VALUE each ($STACKREEVE_TRACES_HEADERS_FILE; default what OTEL_EXPORTER_OTLP_HEADERS says, or none)")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a.later = !f.once
		stacks, err := load()
		if err != nil {
			return err
		}
		if err := config.CheckMade(stacks).Err(); err != nil {
			return err
		}
		if f.once {
			return a.once(cmd, stacks, f.approve)
		}
		return a.serve(cmd.Context(), f)
	}
	return cmd
}

// reviewTime bounds what a single run does about pull requests.
const reviewTime = 10 * time.Minute

// once runs one pass of every stack, those at the same time that depend on no other, and then looks at
// pull requests.
func (a *app) once(cmd *cobra.Command, stacks []config.Stack, approved string) error {
	w := a.wiring(a.logger(false))
	reviews := newForges(w.log, nil)
	defer reviews.close()
	outcomes := make([]plan.Outcome, len(stacks))
	passes, loops := make([]func() plan.Outcome, len(stacks)), make([]*agent.Loop, len(stacks))
	turns := agent.NewTurns()
	for i := range stacks {
		s := &stacks[i]
		loops[i] = &agent.Loop{Name: s.Name, DependsOn: s.Spec.DependsOn, Turns: turns}
		if name := a.dependsOnUnlisted(s); name != "" {
			passes[i] = func() plan.Outcome {
				return a.failed(among(stacks, s), fmt.Errorf("nothing is carried out: it depends on %s, whose folders are not known", name))
			}
			continue
		}
		pass, end, err := a.prepare(cmd, w, reviews, s, loops[i], approved, len(stacks) > 1)
		if err != nil { // which stops no other
			passes[i] = func() plan.Outcome { return a.failed(among(stacks, s), err) }
			continue
		}
		defer end()
		passes[i] = pass
	}
	agent.InOrder(loops, func(i int) { outcomes[i] = passes[i]() })
	worst := plan.InSync
	for _, o := range outcomes {
		worst = worse(worst, o)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), reviewTime)
	defer cancel()
	defer a.progress.begin("reading pull requests")()
	if err := reviews.once(ctx); err != nil {
		worst = worse(worst, a.fail(err))
	}
	return ended(worst)
}

// approvals is the one that --approve gives, if it does.
func approvals(hash string) []plan.Approval {
	if hash == "" {
		return nil
	}
	return []plan.Approval{{Hash: hash}}
}

// watcher shows a pass until it is closed.
type watcher interface {
	engine.Watcher
	Close()
}

// prepare makes a stack ready for its pass; end is to be called after all of
// them, and after the pull requests.
func (a *app) prepare(cmd *cobra.Command, w wiring, reviews *forges, s *config.Stack, stack *agent.Loop, approved string, among bool) (pass func() plan.Outcome, end func(), err error) {
	repo, err := w.repo(s, forBranch)
	if err != nil {
		return nil, nil, err
	}
	text := a.text()
	text.Approve = approveCommand(cmd, s.Name)
	shown := a.watch(s.Name, repo, text, among)
	to, err := reviews.add(w, s, repo, stack.Check)
	if err != nil {
		return nil, nil, errors.Join(err, repo.Close())
	}
	w.watchers = append([]engine.Watcher{shown}, watching(to.branches)...)
	w.connect(stack, s, repo, to.branches)
	stack.Approved, stack.Only = approvals(approved), approved
	return func() plan.Outcome {
		run := stack.Pass(cmd.Context())
		shown.Close()
		if !agent.CutOff(cmd.Context(), run) {
			for _, b := range to.branches {
				b.Ran(run)
			}
		}
		return a.print(text, run, among)
	}, func() { to.close(); _ = repo.Close() }, nil
}

func (a *app) watch(stack string, repo *source.Repo, text report.Text, among bool) watcher {
	last := func() source.Revision {
		rev, _ := repo.Last()
		return rev
	}
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

// print prints how a run ended that was no service's.
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

// serve runs until the context ends.
func (a *app) serve(ctx context.Context, f runFlags) error {
	a.progress.hush() // its log says what it does
	defer surviveHangups()()
	dirs := newFolders(a)
	stacks, unlisted, problems := dirs.all(ctx)
	if ctx.Err() != nil {
		return nil
	}
	svc, err := a.service(stacks, f)
	if err != nil {
		return err
	}
	dirs.say(svc, unlisted, problems)
	svc.follow = func(ctx context.Context) { dirs.watch(ctx, svc) }
	return svc.run(ctx, f.door)
}
