package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/listen"
	"github.com/stackreeve/stackreeve/internal/page"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// door says where the agent listens, and as whom.
type door struct {
	address   string // "" for nowhere
	cert, key string // files in PEM; "" for no TLS
}

func (d *door) flags(flags *pflag.FlagSet) {
	flags.StringVar(&d.address, "listen", os.Getenv("STACKREEVE_LISTEN"), "address for health, metrics and webhooks, such as 127.0.0.1:9464 ($STACKREEVE_LISTEN; default none)")
	flags.StringVar(&d.cert, "listen-cert-file", os.Getenv("STACKREEVE_LISTEN_CERT_FILE"), "certificate of the listener, with those that signed it; then it speaks TLS only ($STACKREEVE_LISTEN_CERT_FILE; default: HTTP)")
	flags.StringVar(&d.key, "listen-key-file", os.Getenv("STACKREEVE_LISTEN_KEY_FILE"), "key of that certificate ($STACKREEVE_LISTEN_KEY_FILE)")
}

// open listens. The certificate is read for each connection, so that a renewed one is used at once.
func (d *door) open(ctx context.Context) (net.Listener, error) {
	if (d.cert == "") != (d.key == "") {
		return nil, errors.New("--listen-cert-file and --listen-key-file belong together; give both, or neither for HTTP")
	}
	var config *tls.Config
	if d.cert != "" {
		config = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return d.certificate()
		}}
		if _, err := d.certificate(); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, nil
}

func (d *door) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(d.cert, d.key)
	if err != nil {
		return nil, fmt.Errorf("--listen-cert-file: %w", err)
	}
	return &pair, nil
}

// scrapes is how many requests for metrics are answered at a time: each answer
// is made in memory.
const scrapes = 4

// handler is all that can be asked of the agent.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.health.Handler(promhttp.HandlerFor(s.metrics.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes})))
	if s.control != nil {
		mux.Handle(control.Prefix, s.control)
	}
	if s.api != nil {
		for _, prefix := range readapi.Prefixes {
			mux.Handle(prefix, s.api)
		}
		mux.Handle(page.Prefix, s.ui)
		mux.Handle("GET /{$}", http.RedirectHandler(page.Prefix, http.StatusFound))
	}
	if s.hooks != nil {
		mux.Handle("/webhook/", s.hooks)
	}
	return mux
}

// listen serves health, metrics and webhooks until stop is called.
func (s *service) listen(ctx context.Context, d door) (stop func(), err error) {
	if d.address == "" {
		return func() {}, nil
	}
	l, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	server := listen.New(s.handler(), s.log)
	if s.shown != nil {
		server.OnShutdown(s.shown.Close)
	}
	s.log.Info("listening", "address", l.Addr().String(), "tls", d.cert != "")
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("health, metrics and webhooks ended", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // the process ends anyway
	}, nil
}
