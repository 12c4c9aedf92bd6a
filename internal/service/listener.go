package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/listen"
	"github.com/stackreeve/stackreeve/internal/page"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// Listener contains the addresses and the certificate of the agent's listener.
type Listener struct {
	Address   string // "" if the agent does not listen
	Cert, Key string // PEM files; "" if there is no TLS
	Health    string // another address, for health and metrics only; "" if there is none
}

// open starts to listen. The certificate is read for each connection, so that a renewed certificate is used immediately.
func (d *Listener) open(ctx context.Context) (net.Listener, error) {
	if (d.Cert == "") != (d.Key == "") {
		return nil, errors.New("--listen-cert-file and --listen-key-file belong together; give both, or neither for HTTP")
	}
	var config *tls.Config
	if d.Cert != "" {
		config = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return d.certificate()
		}}
		if _, err := d.certificate(); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.Address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, nil
}

func (d *Listener) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(d.Cert, d.Key)
	if err != nil {
		return nil, fmt.Errorf("--listen-cert-file: %w", err)
	}
	return &pair, nil
}

// maxScrapes is the maximum number of requests for metrics that are answered at the same time, because each answer is built in memory.
const maxScrapes = 4

// handler handles all requests to the agent.
func (svc *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", svc.watched())
	if svc.control != nil {
		mux.Handle(control.Prefix, svc.control)
	}
	if svc.api != nil {
		for _, prefix := range readapi.Prefixes {
			mux.Handle(prefix, svc.api)
		}
		mux.Handle(page.Prefix, svc.ui)
		mux.Handle("GET /{$}", http.RedirectHandler(page.Prefix, http.StatusFound))
	}
	if svc.hooks != nil {
		mux.Handle("/webhook/", svc.hooks)
		mux.Handle(lookPath, svc.looks)
	}
	return mux
}

// watched handles the requests of probes and monitoring.
func (svc *service) watched() http.Handler {
	return svc.health.Handler(promhttp.HandlerFor(svc.metrics.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
}

// listen serves all requests (see handler), and those of probes and monitoring at a further address, until stop is called.
func (svc *service) listen(ctx context.Context, d Listener) (stop func(), err error) {
	var servers []*listen.Server
	stop = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		for _, server := range servers {
			_ = server.Shutdown(ctx) // an error does not matter, because the process ends
		}
	}
	begin := func(l net.Listener, handler http.Handler, tls bool) *listen.Server {
		server := listen.New(handler, svc.log)
		servers = append(servers, server)
		svc.log.Info("listening", "address", l.Addr().String(), "tls", tls)
		go func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				svc.log.Error("a listener ended", "address", l.Addr().String(), "error", err)
			}
		}()
		return server
	}
	if d.Health != "" {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.Health)
		if err != nil {
			return nil, fmt.Errorf("--listen-health: %w", err)
		}
		begin(l, svc.watched(), false)
	}
	if d.Address == "" {
		return stop, nil
	}
	l, err := d.open(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	if server := begin(l, svc.handler(), d.Cert != ""); svc.shown != nil {
		server.OnShutdown(svc.shown.Close)
	}
	return stop, nil
}
