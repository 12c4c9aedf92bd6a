package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// wiring turns a configured stack into one that runs.
type wiring struct {
	log       *slog.Logger
	dataDir   string
	parallel  int
	observe   func(cloud.Request)
	watchers  []engine.Watcher // of every pass
	progress  *progress        // nil where nobody waits
	clones    *clones
	libraries *libraries
	sharing   *cloud.Sharing

	// fence is asked before each write to the cloud, and grace is what steps in flight get when a pass is asked to stop;
	// nil and 0 for none and the usual. former is how long the requests of a killed process may go on.
	fence         func(context.Context) (context.Context, error)
	grace, former time.Duration
}

// wiring is for stacks of these configurations.
func (a *app) wiring(log *slog.Logger) wiring {
	return wiring{log: log, dataDir: a.dataDir, parallel: a.parallel, clones: a.clones, libraries: &a.libraries, sharing: &a.sharing, progress: a.progress}
}

// connect gives a stack all that it needs to run. Of the branches that report it,
// the first is asked what its forge knows.
func (w wiring) connect(one *agent.Loop, s *config.Stack, repo *source.Repo, branches []*branch.Tracker) {
	one.Name, one.Fetch, one.Read, one.Weaker = s.Name, w.fetch(s, repo), w.read(s), config.ReadFolder
	one.Emptied, one.History = reader(s, "", s.Bounds()).Emptied, repo.Earlier
	one.Poll, one.DriftCheck, one.DependsOn = s.Poll, s.DriftCheck, s.Spec.DependsOn
	one.LeavesDrift = s.LeavesDrift()
	if s.Of() != "" {
		one.Poll = schedule.Schedule{} // for all stacks of its document at once
	}
	unanswered, begun, members, memory := &engine.Unanswered{}, &engine.Begun{}, &engine.Members{}, &defaults.Memory{}
	one.Open = func(ctx context.Context) (agent.Cloud, error) {
		engine, at, err := w.openAt(ctx, s, memory)
		if err != nil {
			return agent.Cloud{}, err
		}
		engine.Unanswered, engine.Begun, engine.Members = unanswered, begun, members
		return agent.Cloud{Region: at.Region, Project: at.ProjectID, Sync: w.sync(s, engine)}, nil
	}
	one.AnyProject, one.Record = s.Spec.Project != "", w.record(s)
	if len(branches) > 0 {
		one.Approvals, one.Applied, one.Existed = branches[0].Approvals, branches[0].Restore, branches[0].Existed
	}
}

// record is where a stack's agent keeps what the next one is to know; "" where it has no folder.
func (w wiring) record(s *config.Stack) agent.Record {
	if w.dataDir == "" {
		return ""
	}
	return agent.Record(filepath.Join(w.dataDir, "stacks", s.Name+".json"))
}

// sync runs a pass and shows that it does.
func (w wiring) sync(s *config.Stack, eng *engine.Engine) func(context.Context, engine.Revision) engine.Pass {
	return func(ctx context.Context, rev engine.Revision) engine.Pass {
		defer w.progress.begin(of(s.Name, "comparing with the cloud"))()
		return eng.Sync(ctx, rev)
	}
}

// fetch fetches and shows that it does.
func (w wiring) fetch(s *config.Stack, repo *source.Repo) func(context.Context) (source.Revision, bool, error) {
	return func(ctx context.Context) (source.Revision, bool, error) {
		defer w.progress.begin(of(s.Name, "fetching "+s.Spec.Source.URL))()
		return repo.Fetch(ctx)
	}
}

// repo is the repository of a stack for one use. Those that were made from one document share a
// clone.
func (w wiring) repo(s *config.Stack, use string) (*source.Repo, error) {
	if s.Of() == "" {
		return w.newRepo(s)
	}
	root, err := w.root(s, s.Of(), use)
	if err != nil {
		return nil, err
	}
	return root.In(s.Spec.Source.Path), nil
}

func (w wiring) newRepo(s *config.Stack) (*source.Repo, error) {
	return source.New(withApp(s.Repo(w.dataDir, nil), s.Spec.Source.Auth), w.log.With("stack", s.Name))
}

// withApp is a source that is fetched with tokens of the GitHub App of its credentials, if they name one.
func withApp(c source.Config, auth config.Auth) source.Config {
	if g := auth.GitHubApp; g != nil {
		app := &forge.App{AppID: g.AppID, InstallationID: g.InstallationID, PrivateKeyFile: g.PrivateKeyFile, APIURL: g.APIURL}
		c.Auth.Token, c.Auth.Renew = app.Token, app.Forget
	}
	return c
}

// read reads a revision of the stack's branch.
func (w wiring) read(s *config.Stack) func(context.Context, fs.FS, string) (resolve.Reading, error) {
	return func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error) {
		reading, _, err := w.contents(ctx, s, region, s.Bounds(), files)
		return reading, publicly(err)
	}
}

func reader(s *config.Stack, region string, bounds resolve.Bounds) resolve.Reader {
	return resolve.Reader{Kinds: all.Kinds(nil, defaultsIn(s, region)), Bounds: bounds, Root: s.Spec.Source.Path, Selection: s.Selection(),
		Entries: s.Entries(), Missing: s.Spec.Sync.MissingReferences == "wait"}
}

// defaultsIn are what a stack's configuration says to its kinds, in the region of its
// cloud; "" when that is not known.
func defaultsIn(s *config.Stack, region string) defaults.Defaults {
	d := s.Spec.Defaults
	d.Region = region
	return d
}

// beyond is what kinds need besides the manifests and the login: only who opens a cloud has it.
type beyond struct {
	keys   defaults.Keys
	memory *defaults.Memory
}

func (b beyond) with(d defaults.Defaults) defaults.Defaults {
	d.Keys, d.Memory = b.keys, b.memory
	return d
}

// of is that of another entry of clouds.yaml.
func (b beyond) of(entry string) beyond { return beyond{b.keys, b.memory.Of(entry)} }

// open logs in. memory is that of the stack's agent; nil for one pass.
func (w wiring) open(ctx context.Context, s *config.Stack, memory *defaults.Memory) (*engine.Engine, string, error) {
	engine, client, err := w.openAt(ctx, s, memory)
	if err != nil {
		return nil, "", err
	}
	return engine, client.Region, nil
}

// openAt is open, with where the stack works.
func (w wiring) openAt(ctx context.Context, s *config.Stack, memory *defaults.Memory) (*engine.Engine, *cloud.Client, error) {
	defer w.progress.begin(of(s.Name, "logging in to the cloud"))()
	log := w.log.With("stack", s.Name)
	config := cloud.Config{Cloud: s.Spec.Cloud, Project: s.Spec.Project, Version: version(), Log: log, MarksInDescriptions: s.Spec.Sync.Marks == "descriptions", Observe: w.observe, Wrap: w.progress.requests(s.Name), Fence: w.fence, Sharing: w.sharing,
		Machines: outbound.Machines{Within: s.Spec.Defaults.Networks()}}
	client, err := cloud.Open(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	prints, err := fingerprints(s, client.ProjectID)
	if err != nil {
		return nil, nil, err
	}
	keys, err := s.Keys()
	if err != nil {
		return nil, nil, err
	}
	more := beyond{keys, memory}
	engine := &engine.Engine{
		Timing: engine.Timing{Grace: w.grace, Former: w.former},
		Stack:  s.Name, Kinds: all.Kinds(client, more.with(defaultsIn(s, client.Region))), Policies: s.Policies(), Limits: s.Limits,
		Replace: s.Spec.Sync.Replace == "allow", Others: s.Spec.Sync.ObjectsOfOtherStacks == "allow", Parallelism: w.parallel, Log: log, Realm: client.Realm, Entries: further(s, config, client, more), Secrets: client.AllSecrets, Printer: prints, Quotas: client.Quotas, Zones: client.Zones, Hosts: client.Hosts, Prices: s.Prices(), Probe: probe.Asker{Machines: config.Machines}.Ask,
	}
	if len(w.watchers) > 0 {
		engine.Watcher = report.Watchers(w.watchers)
	}
	return engine, client, nil
}

// further are the entries that manifests may name besides the main one, whose client is given.
func further(s *config.Stack, as cloud.Config, main *cloud.Client, more beyond) (list []engine.Entry) {
	as.Beside, as.ProjectBy = main, "spec.cloudProjects"
	for _, name := range s.Entries().Further {
		as := as                                                // each entry has its own
		as.Cloud, as.Project = name, s.Spec.CloudProjects[name] // they may be of other projects
		list = append(list, engine.Entry{Name: name, Open: func(ctx context.Context) (engine.Access, error) {
			client, err := cloud.Open(ctx, as)
			if err != nil {
				return engine.Access{}, err
			}
			return engine.Access{Kinds: all.Kinds(client, more.of(name).with(defaultsIn(s, client.Region))), Realm: client.Realm}, nil
		}})
	}
	return list
}

// fingerprints are made with the keys that the stack names, read again with
// every session, or else salted with what no other stack in the world has.
func fingerprints(s *config.Stack, project string) (*fingerprint.Printer, error) {
	var keys [][]byte
	for _, file := range s.Spec.Fingerprints.KeyFiles {
		key, err := localfile.Read(file, localfile.Secret)
		if err != nil {
			return nil, fmt.Errorf("spec.fingerprints.keyFiles: %w", err)
		}
		keys = append(keys, bytes.TrimSpace(key))
	}
	prints, err := fingerprint.New(project+"/"+s.Name, keys...)
	if err != nil {
		return nil, fmt.Errorf("spec.fingerprints.keyFiles: %w; make one with: openssl rand -hex 32", err)
	}
	return prints, nil
}
