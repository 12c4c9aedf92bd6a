package probe

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// The gRPC health checking protocol has one request and one answer. Each is a frame of five
// bytes and a message with one field. (grpc/grpc: doc/health-checking.md,
// doc/PROTOCOL-HTTP2.md)
const (
	healthPath = "/grpc.health.v1.Health/Check"
	serving    = 1
	// maxHealth is the maximum number of bytes of an answer that are read. A message of two bytes is expected.
	maxHealth = 1 << 10
	frameHead = 5 // a flag for compression, and four bytes of length
)

// health is the error for an answer that means "not healthy".
type health string

func (h health) Error() string { return string(h) }

var errNoHealth = errors.New("is no answer of the health checking protocol")

// health sends a health check about a service to a gRPC server.
func (a Asker) health(ctx context.Context, at string, p rollout.Probe) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+healthPath, bytes.NewReader(healthRequest(p.Service)))
	if err != nil {
		return err
	}
	req.Host = p.Host
	req.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "User-Agent": {"stackreeve-probe"}}
	resp, err := a.Machines.DoHTTP2(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return status(resp.StatusCode)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/grpc") {
		return errNoHealth
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth+1)) // trailers follow the end of the body
	if err != nil || len(body) > maxHealth {
		return errNoHealth
	}
	code := resp.Trailer.Get("Grpc-Status")
	if code == "" {
		code = resp.Header.Get("Grpc-Status") // an answer may consist of trailers only
	}
	if code != "0" {
		return refusal(code)
	}
	return healthOf(body)
}

// refusals contains the gRPC statuses of a server that does not have this service, or that has no health checks.
var refusals = map[string]health{"5": "the server does not know the service", "12": "the server has no health checks"}

func refusal(code string) error {
	if known, ok := refusals[code]; ok {
		return known
	}
	if len(code) == 1 || len(code) == 2 && strings.Trim(code, "0123456789") == "" {
		return health("gRPC status " + code)
	}
	return errNoHealth
}

// healthRequest returns a frame with a message whose field 1 is a text.
func healthRequest(service string) []byte {
	var message []byte
	if service != "" {
		message = append(binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(service))), service...)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...) //nolint:gosec // a manifest's name of a service is short
}

// healthOf returns nil if a frame contains a message whose field 1 is SERVING.
func healthOf(frame []byte) error {
	if len(frame) < frameHead || frame[0] != 0 || uint64(binary.BigEndian.Uint32(frame[1:])) != uint64(len(frame)-frameHead) {
		return errNoHealth
	}
	state := uint64(0) // the value of a missing field
	for message := frame[frameHead:]; len(message) > 0; {
		field, n := binary.Uvarint(message)
		if n <= 0 || field != 1<<3 {
			return errNoHealth
		}
		message = message[n:]
		if state, n = binary.Uvarint(message); n <= 0 {
			return errNoHealth
		}
		message = message[n:]
	}
	if state != serving {
		return health(fmt.Sprintf("health status %d, not SERVING", state))
	}
	return nil
}
