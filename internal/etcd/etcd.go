// Package etcd sends requests in JSON to servers of etcd, to the gateway on each server's client port (/v3/,
// since etcd 3.4). It does not repeat requests. Its callers decide to which server a request is sent, and what to
// do after an answer.
package etcd

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Client sends requests to servers at their addresses. The size of an answer is limited. Answers are not
// trusted, because any machine on the servers' network may have sent them.
type Client struct {
	Machines outbound.Machines
	Port     int         // the port for clients, usually 2379
	TLS      *tls.Config // nil for HTTP
}

// ClientPort is the port of etcd for clients, and PeerPort the port for other members.
const (
	ClientPort = 2379
	PeerPort   = 2380
)

// Patience is the time limit of one answer.
const Patience = 5 * time.Second

// Member contains the cluster's information about one member.
type Member struct {
	ID         uint64   `json:"ID,string"`
	Name       string   `json:"name"` // "" until the member has started for the first time
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs"`
	IsLearner  bool     `json:"isLearner"` // a learner does not vote yet
}

// Members is the list of a cluster's members, as one of them answers it.
type Members struct {
	ClusterID uint64
	List      []Member
}

// Status contains the information of one server about itself. (etcdserverpb.StatusResponse)
type Status struct {
	MemberID, ClusterID uint64
	Leader              uint64 // 0 if it knows no leader
	Version             string
	AppliedIndex        uint64
	DBSize              int64 // bytes
	IsLearner           bool
	Errors              []string
	Revision            int64 // the revision of its data
}

type header struct {
	ClusterID uint64 `json:"cluster_id,string"`
	MemberID  uint64 `json:"member_id,string"`
	Revision  int64  `json:"revision,string"`
}

// Status reads the status of a server. A server without a connection to the other servers also answers.
func (c Client) Status(ctx context.Context, address string) (Status, error) {
	var got struct {
		Header  header   `json:"header"`
		Version string   `json:"version"`
		Leader  uint64   `json:"leader,string"`
		Applied uint64   `json:"raftAppliedIndex,string"`
		DBSize  int64    `json:"dbSize,string"`
		Learner bool     `json:"isLearner"`
		Errors  []string `json:"errors"`
	}
	err := c.post(ctx, address, "maintenance/status", struct{}{}, &got)
	return Status{got.Header.MemberID, got.Header.ClusterID, got.Leader, got.Version, got.Applied, got.DBSize, got.Learner, got.Errors, got.Header.Revision}, err
}

// Members reads the list of members from a server. The answer contains the server's own knowledge, which may be
// out of date.
func (c Client) Members(ctx context.Context, address string) (Members, error) {
	var got struct {
		Header  header   `json:"header"`
		Members []Member `json:"members"`
	}
	err := c.post(ctx, address, "cluster/member/list", struct{}{}, &got)
	return Members{got.Header.ClusterID, got.Members}, err
}

// AddLearner adds a member with peerURL. The member does not vote yet.
func (c Client) AddLearner(ctx context.Context, address, peerURL string) (Member, error) {
	var got struct {
		Member Member `json:"member"`
	}
	err := c.post(ctx, address, "cluster/member/add", map[string]any{"peerURLs": []string{peerURL}, "isLearner": true}, &got)
	return got.Member, err
}

// Promote makes a learner a voting member.
func (c Client) Promote(ctx context.Context, address string, id uint64) error {
	return c.post(ctx, address, "cluster/member/promote", byID(id), nil)
}

// Remove removes a member permanently.
func (c Client) Remove(ctx context.Context, address string, id uint64) error {
	return c.post(ctx, address, "cluster/member/remove", byID(id), nil)
}

// MoveLeader transfers the leadership to another member. It must be sent to the leader itself.
func (c Client) MoveLeader(ctx context.Context, address string, to uint64) error {
	return c.post(ctx, address, "maintenance/transfer-leadership", map[string]string{"targetID": strconv.FormatUint(to, 10)}, nil)
}

func byID(id uint64) map[string]string {
	return map[string]string{"ID": strconv.FormatUint(id, 10)}
}

// Refused is the error of an etcd server that did not carry out a request.
type Refused struct {
	Code    int // the code of gRPC (google.golang.org/grpc/codes)
	Message string
}

// Error implements error.
func (r *Refused) Error() string { return printable.Clip(printable.Line(r.Message), 200) }

// Later reports whether the same request may be carried out later, when the cluster is in another state.
func (r *Refused) Later() bool { return r.Code != invalidArgument && r.Code != notFound }

// NotFound reports whether the cluster itself answers that there is no such member.
func (r *Refused) NotFound() bool { return r.Code == notFound }

const (
	invalidArgument = 3
	notFound        = 5
)

// ErrSilent is the error that no etcd has answered.
var ErrSilent = boot.ErrSilent

func (c Client) post(ctx context.Context, address, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	status, answer, err := c.send(ctx, http.MethodPost, address, "/v3/"+path, text)
	if err != nil {
		return err
	}
	return understand(status, answer, into)
}

// understand parses an answer. If etcd refuses the request, the error is a [*Refused].
func understand(status int, answer []byte, into any) error {
	if status != http.StatusOK {
		var said struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Error   string `json:"error"`
		}
		if json.Unmarshal(answer, &said) != nil || said.Code == 0 {
			return fmt.Errorf("%w as etcd does: status %d", ErrSilent, status)
		}
		if said.Message == "" {
			said.Message = said.Error
		}
		return &Refused{said.Code, strings.TrimPrefix(said.Message, "etcdserver: ")}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%w as etcd does", ErrSilent)
	}
	return nil
}

// send returns one complete answer. Its errors contain no text from the machine.
func (c Client) send(ctx context.Context, method, address, path string, body []byte) (status int, answer []byte, err error) {
	return c.sendWithin(ctx, Patience, method, address, path, body)
}

func (c Client) sendWithin(ctx context.Context, patience time.Duration, method, address, path string, body []byte) (status int, answer []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, method, scheme+"://"+net.JoinHostPort(address, strconv.Itoa(c.Port))+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Machines.DoTrusting(req, c.TLS)
	if errors.Is(err, outbound.ErrRefused) {
		return 0, nil, err
	} else if err != nil {
		return 0, nil, c.silence(ctx, address, err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, ErrSilent
	}
	return resp.StatusCode, answer, nil
}
