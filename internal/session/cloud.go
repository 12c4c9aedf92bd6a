package session

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
)

// beyond contains the keys and the memory for the defaults of kinds. Only a login to a cloud provides them.
type beyond struct {
	keys   defaults.Keys
	memory *defaults.Memory
}

func (b beyond) with(d defaults.Defaults) defaults.Defaults {
	d.Keys, d.Memory = b.keys, b.memory
	return d
}

// of returns the same values, with the memory for another entry of clouds.yaml.
func (b beyond) of(entry string) beyond { return beyond{b.keys, b.memory.Of(entry)} }

// LogIn logs in to the cloud for one plan or pass, without the memory of the stack's loop. The string is the cloud's region.
func (o Opener) LogIn(ctx context.Context, s *config.Stack) (*engine.Engine, string, error) {
	in, err := o.logIn(ctx, s, nil)
	if err != nil {
		return nil, "", err
	}
	in.engine.Kinds = in.kinds()
	return in.engine, in.client.Region, nil
}

// login is a stack's login to the cloud.
type login struct {
	engine *engine.Engine // without its Kinds
	client *cloud.Client
	kinds  func() []*kind.Kind // makes the engine's Kinds
}

// begin gives the engine its kinds, and end removes them. So it has kinds only while a pass or a look runs. A stack's kinds take more than
// 100 KB, because they contain its client, and most of many stacks wait for their next pass. The memory for the defaults of the kinds contains
// everything that they have to know in the next pass.
func (l login) begin() (end func()) {
	l.engine.Kinds = l.kinds()
	return func() { l.engine.Kinds = nil }
}

func (l login) sync(ctx context.Context, rev engine.Revision) engine.Pass {
	defer l.begin()()
	return l.engine.Sync(ctx, rev)
}

func (l login) look(ctx context.Context, moved engine.Moved) engine.Looked {
	defer l.begin()()
	return l.engine.Look(ctx, moved)
}

// logIn logs in to the cloud. memory is that of the stack's loop, or nil. The engine gets its kinds later: see [login.begin].
func (o Opener) logIn(ctx context.Context, s *config.Stack, memory *defaults.Memory) (login, error) {
	defer o.Progress.Begin(progress.Of(s.Name, "logging in to the cloud"))()
	log := o.Log.With("stack", s.Name)
	config := o.cloudConfig(s)
	client, err := cloud.Open(ctx, config)
	if err != nil {
		return login{}, err
	}
	prints, err := fingerprints(s, client.ProjectID)
	if err != nil {
		return login{}, err
	}
	keys, err := s.Keys()
	if err != nil {
		return login{}, err
	}
	more := beyond{keys, memory}
	kinds := func() []*kind.Kind { return all.Kinds(client, more.with(defaultsIn(s, client.Region))) }
	engine := &engine.Engine{
		Timing: engine.Timing{Grace: o.Grace, KilledWait: o.Former}, AloneSince: o.AloneSince,
		Stack: s.Name, Policies: s.Policies(), Limits: s.Limits,
		Replace: s.Spec.Sync.Replace == "allow", UseForeign: s.Spec.Sync.ObjectsOfOtherStacks == "allow", Parallelism: o.Parallelism, Log: log, Realm: client.Realm, Entries: openFurther(s, config, client, more), Secrets: client.AllSecrets, Printer: prints, Quotas: client.Quotas, Zones: client.Zones, Hosts: client.Hosts, Prices: s.Prices(), Probe: probe.Asker{Machines: config.Machines}.Ask, Reported: o.Reported, UserName: o.UserName,
	}
	if len(o.Watchers) > 0 {
		engine.Watcher = report.Watchers(o.Watchers)
	}
	return login{engine, client, kinds}, nil
}

// openFurther opens the other entries that manifests may name. main is the client of the main entry.
func openFurther(s *config.Stack, as cloud.Config, main *cloud.Client, more beyond) (list []engine.Entry) {
	as.Beside, as.ProjectBy = main, "spec.cloudProjects"
	for _, name := range s.Entries().Further {
		as := as                                                // each entry has its own copy
		as.Cloud, as.Project = name, s.Spec.CloudProjects[name] // the entries may belong to other projects
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

// fingerprints returns a printer with the keys in the files that the stack names. The files are read again at every login. Without keys, the
// printer uses a salt that no other stack has.
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

// cloudConfig says how a client for a stack's main entry of clouds.yaml is made.
func (o Opener) cloudConfig(s *config.Stack) cloud.Config {
	return cloud.Config{Cloud: s.Spec.Cloud, Project: s.Spec.Project, Version: o.Version, Log: o.Log.With("stack", s.Name), MarksInDescriptions: s.Spec.Sync.Marks == "descriptions", Observe: o.Observe, Wrap: o.layers(s.Name), Fence: o.Fence, Sharing: o.Shared.sharing(),
		Machines: outbound.Machines{Within: s.Spec.Defaults.Networks()}}
}

// layers returns the layers between a stack's client of the cloud and the network; nil if there is none.
func (o Opener) layers(stack string) func(http.RoundTripper) http.RoundTripper {
	shown := o.Progress.Requests(stack)
	switch {
	case o.Wrap == nil:
		return shown
	case shown == nil:
		return o.Wrap
	}
	return func(next http.RoundTripper) http.RoundTripper { return shown(o.Wrap(next)) }
}
