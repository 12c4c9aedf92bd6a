// Package m3 sends requests in JSON to the coordinators that run with M3DB's nodes. It reads and changes
// placements, which assign shards to instances, and namespaces. It does not repeat requests. Its callers decide to
// which coordinator a request is sent, and what to do after an answer.
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

// These are the ports of a node. Other nodes find the port of a node in the placement, see [PortOf].
const (
	NodePort        = 9000 // clients use it if their own configuration says so
	StatusPort      = 9002 // the port at which a node reports its state
	LastNodePort    = 9004 // the node uses the ports up to this one
	FirstOwnPort    = 9100
	LastOwnPort     = 9899
	CoordinatorPort = 7201 // the port of the coordinator in the node
)

// Zone is the name under which a cluster stores its data in etcd. The configuration of the nodes contains the
// same name.
const Zone = "embedded"

// Patience is the time limit for one answer.
const Patience = 10 * time.Second

// maxAnswer is the maximum size of one answer in bytes. A placement has some hundred bytes for each shard of
// each instance.
const maxAnswer = 4 << 20

// Client sends requests about one cluster to coordinators at their addresses. The size of an answer is limited.
// Answers are not trusted, because anybody on the network may have sent them.
type Client struct {
	Machines    outbound.Machines
	Port        int    // usually 7201
	Environment string // the name of the cluster in M3's setting env. Each request repeats the name.
}

// Over returns a client that sends requests about a cluster to coordinators on machines. environment is the
// cluster's name in M3's setting env.
func Over(machines outbound.Machines, environment string) Client {
	return Client{Machines: machines, Port: CoordinatorPort, Environment: environment}
}

// Refused is the error of a coordinator that did not carry out a request.
type Refused struct {
	Status  int // the status of HTTP
	Message string
}

// Error implements error.
func (r *Refused) Error() string { return printable.Clip(printable.Line(r.Message), 200) }

// NotFound reports whether the cluster itself answers that the requested object does not exist.
func (r *Refused) NotFound() bool { return r.Status == http.StatusNotFound }

// Later reports whether the same request may be carried out later, when the cluster is in another state.
func (r *Refused) Later() bool { return true }

// Exists reports whether the object already exists.
func (r *Refused) Exists() bool { return r.Status == http.StatusConflict }

// ErrSilent is the error of an address at which no M3 coordinator answers.
var ErrSilent = boot.ErrSilent

const placementPath = "services/m3db/placement"

// Placement reads the placement, or returns nil if there is none yet.
func (c Client) Placement(ctx context.Context, address string) (*Placement, error) {
	var got placementAnswer
	err := c.ask(ctx, http.MethodGet, address, placementPath, nil, &got)
	var refused *Refused
	if errors.As(err, &refused) && refused.NotFound() {
		return nil, nil //nolint:nilnil // that there is no placement is a valid answer
	}
	if err != nil {
		return nil, err
	}
	return got.placement()
}

// Bootstrapped reads from a node whether it has read all data of its shards and could read them again from its
// own disk. Until then, nothing else may be changed. (src/dbnode/network/server/tchannelthrift/node/service.go)
func (c Client) Bootstrapped(ctx context.Context, address string) (bool, error) {
	status, _, err := c.send(ctx, http.MethodGet, address, StatusPort, "/bootstrapped", nil)
	return status == http.StatusOK, err
}

// Init creates the placement of a cluster, which is done only once.
func (c Client) Init(ctx context.Context, address string, instances []Instance, shards, replicas int) error {
	body := map[string]any{"instances": instances, "num_shards": shards, "replication_factor": replicas}
	return c.ask(ctx, http.MethodPost, address, placementPath+"/init", body, nil)
}

// Add adds an instance to the placement. The instance gets its part of the shards.
func (c Client) Add(ctx context.Context, address string, instance Instance) error {
	return c.ask(ctx, http.MethodPost, address, placementPath, map[string]any{"instances": []Instance{instance}}, nil)
}

// Remove removes an instance from the placement. The other instances get its shards.
func (c Client) Remove(ctx context.Context, address, id string) error {
	return c.ask(ctx, http.MethodDelete, address, placementPath+"/"+url.PathEscape(id), nil, nil)
}

// Replace replaces an instance in the placement by another one, which gets all its shards.
func (c Client) Replace(ctx context.Context, address, leaving string, by Instance) error {
	body := map[string]any{"leavingInstanceIDs": []string{leaving}, "candidates": []Instance{by}}
	return c.ask(ctx, http.MethodPost, address, placementPath+"/replace", body, nil)
}

// ask sends a request and parses the answer. Only the error [Refused] contains a text from the machine.
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
