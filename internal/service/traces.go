package service

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// maxHeaders is the maximum number of bytes that are read from a file with headers.
const maxHeaders = 16 << 10

// setUpTraces sets up the sender of traces, if there is a receiver.
func (svc *service) setUpTraces(f Options) error {
	headers := ""
	if f.TracesHeaders != "" {
		text, err := localfile.Read(f.TracesHeaders, maxHeaders)
		if err != nil {
			return fmt.Errorf("--traces-headers-file: %w", err)
		}
		headers = string(text)
	}
	to, err := trace.Configured(f.TracesURL, headers, os.Getenv)
	if err != nil || to == nil {
		return err
	}
	to.Version, to.Log, to.Count = svc.opener.Version, svc.log, svc.metrics.Traced
	svc.traces = to
	return nil
}

// reports hands a run to the sinks, and then ends the trace of the run.
func (svc *service) reports(to sinks) func(report.Run) {
	return func(run report.Run) {
		began := time.Now()
		to.ran(run)
		if run.Trace == nil {
			return
		}
		run.Trace.Add(trace.Span{Name: "report", Start: began, End: time.Now()})
		pass, quiet := traceSteps(run)
		pass.End = time.Now()
		svc.traces.Finish(run.Trace, pass, run.Stack+" "+pass.Attributes["stackreeve.outcome"], quiet)
	}
}

// traceSteps adds the steps of a run to its trace. quiet is true when nothing was carried out and nothing failed.
func traceSteps(run report.Run) (pass trace.Span, quiet bool) {
	outcome := run.Outcome()
	about := map[string]string{"stackreeve.stack": run.Stack, "stackreeve.commit": run.Revision.Commit, "stackreeve.outcome": report.OutcomeWord(outcome)}
	pass = trace.Span{Name: "pass", Failed: outcome == plan.Broken || outcome == plan.Invalid, Attributes: about}
	if run.Pass == nil {
		return pass, outcome != plan.Broken
	}
	about["stackreeve.rounds"], about["stackreeve.steps"] = strconv.Itoa(run.Pass.Rounds), strconv.Itoa(len(run.Pass.Results))
	for _, r := range run.Pass.Results {
		said, action := "ok", string(r.Step.Action)
		if r.Err != nil {
			said = "error"
		}
		run.Trace.Add(trace.Span{Name: action + " " + r.Step.Key.Kind, Start: r.Started, End: r.Started.Add(r.Took), Failed: r.Err != nil, Attributes: map[string]string{
			"stackreeve.kind": r.Step.Key.Kind, "stackreeve.name": run.Pass.Last.Secrets.Text(r.Step.Key.Name), "stackreeve.action": action, "stackreeve.outcome": said,
		}})
	}
	return pass, outcome != plan.Broken && len(run.Pass.Results) == 0
}

// flushTraces sends the pending traces before the process ends.
func (svc *service) flushTraces(ctx context.Context) {
	if svc.traces == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	svc.traces.Flush(ctx)
}
