// Package m3 asks the coordinators that run beside M3DB's nodes, in JSON, which instances hold which shards and which namespaces
// there are. It knows one request at a time: who is asked, and what follows from an answer, is decided elsewhere.
package m3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// The ports of a node. Others find the one that they ask in the placement, see [PortOf].
const (
	NodePort        = 9000 // what they ask where a configuration of one's own says so
	StatusPort      = 9002 // where a node says how it is
	LastNodePort    = 9004 // further ones of the node, up to this
	FirstOwnPort    = 9100
	LastOwnPort     = 9899
	CoordinatorPort = 7201 // of the coordinator in it
)

// Zone is where a cluster keeps its data in etcd; the nodes' configuration says the same.
const Zone = "embedded"

// Patience is how long one answer may take.
const Patience = 10 * time.Second

// maxAnswer is how large one answer may be, in bytes: a placement has some hundred for each shard of each instance.
const maxAnswer = 4 << 20

// Client asks coordinators at their addresses about one cluster. Their answers are bounded and are not trusted: anybody on their network may
// answer.
type Client struct {
	Machines    outbound.Machines
	Port        int    // usually 7201
	Environment string // of the cluster, as its nodes' configuration has it
}

// Over is what asks the coordinators on machines about a cluster, by its environment.
func Over(machines outbound.Machines, environment string) Client {
	return Client{Machines: machines, Port: CoordinatorPort, Environment: environment}
}

// Refused is what a coordinator said to a request that it did not carry out.
type Refused struct {
	Status  int // of HTTP
	Message string
}

// Error implements error.
func (r *Refused) Error() string { return printable.Clip(printable.Line(r.Message), 200) }

// NotFound reports whether there is no such thing, as the cluster itself says.
func (r *Refused) NotFound() bool { return r.Status == http.StatusNotFound }

// Later reports whether it may do the same when the cluster is in another state.
func (r *Refused) Later() bool { return true }

// Exists reports whether it is there already.
func (r *Refused) Exists() bool { return r.Status == http.StatusConflict }

// ErrSilent is the error of an address at which no M3 coordinator answers.
var ErrSilent = boot.ErrSilent

const placementPath = "services/m3db/placement"

// Placement asks which instances hold which shards; nil when that was never decided.
func (c Client) Placement(ctx context.Context, address string) (*Placement, error) {
	var got placementAnswer
	err := c.ask(ctx, http.MethodGet, address, placementPath, nil, &got)
	var refused *Refused
	if errors.As(err, &refused) && refused.NotFound() {
		return nil, nil //nolint:nilnil // that there is none is an answer
	}
	if err != nil {
		return nil, err
	}
	return got.placement()
}

// Bootstrapped asks a node whether it has read all data of its shards and could read it again from its own disk. Before that
// nothing else may change. (src/dbnode/network/server/tchannelthrift/node/service.go)
func (c Client) Bootstrapped(ctx context.Context, address string) (bool, error) {
	status, _, err := c.send(ctx, http.MethodGet, address, StatusPort, "/bootstrapped", nil)
	return status == http.StatusOK, err
}

// Init decides, once for a cluster, which instances hold which shards.
func (c Client) Init(ctx context.Context, address string, instances []Instance, shards, replicas int) error {
	body := map[string]any{"instances": instances, "num_shards": shards, "replication_factor": replicas}
	return c.ask(ctx, http.MethodPost, address, placementPath+"/init", body, nil)
}

// Add has an instance take its part of the shards.
func (c Client) Add(ctx context.Context, address string, instance Instance) error {
	return c.ask(ctx, http.MethodPost, address, placementPath, map[string]any{"instances": []Instance{instance}}, nil)
}

// Remove has an instance give its shards to the others.
func (c Client) Remove(ctx context.Context, address, id string) error {
	return c.ask(ctx, http.MethodDelete, address, placementPath+"/"+url.PathEscape(id), nil, nil)
}

// Replace has one instance take all shards of another.
func (c Client) Replace(ctx context.Context, address, leaving string, by Instance) error {
	body := map[string]any{"leavingInstanceIDs": []string{leaving}, "candidates": []Instance{by}}
	return c.ask(ctx, http.MethodPost, address, placementPath+"/replace", body, nil)
}

// ask has one answer, whole. Its errors repeat nothing that the machine said, except for [Refused].
func (c Client) ask(ctx context.Context, method, address, path string, body, into any) error {
	status, answer, err := c.send(ctx, method, address, c.Port, "/api/v1/"+path, body)
	if err != nil {
		return err
	}
	if err = boot.Answer(status, answer); err != nil {
		return err
	}
	if status != http.StatusOK {
		var said struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(answer, &said) != nil || said.Error == "" {
			return fmt.Errorf("%w like an M3 coordinator: status %d", ErrSilent, status)
		}
		return &Refused{status, said.Error}
	}
	if into == nil {
		return nil
	}
	if json.Unmarshal(answer, into) != nil {
		return fmt.Errorf("%w like an M3 coordinator", ErrSilent)
	}
	return nil
}

func (c Client) send(ctx context.Context, method, address string, port int, path string, body any) (status int, answer []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return 0, nil, err
		}
	}
	at := "http://" + net.JoinHostPort(address, strconv.Itoa(port)) + path
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Cluster-Environment-Name", c.Environment)
	req.Header.Set("Cluster-Zone-Name", Zone)
	resp, err := c.Machines.DoLarge(req, nil, maxAnswer)
	if errors.Is(err, outbound.ErrRefused) {
		return 0, nil, err
	} else if err != nil {
		return 0, nil, ErrSilent
	}
	defer resp.Body.Close()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, ErrSilent
	}
	return resp.StatusCode, answer, nil
}
