package m3

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const namespacePath = "services/m3db/namespace"

// Options are the options of a namespace. (m3db/m3, src/dbnode/generated/proto/namespace/namespace.proto)
type Options struct {
	BootstrapEnabled   bool               `json:"bootstrapEnabled"`
	FlushEnabled       bool               `json:"flushEnabled"`
	WritesToCommitLog  bool               `json:"writesToCommitLog"`
	CleanupEnabled     bool               `json:"cleanupEnabled"`
	RepairEnabled      bool               `json:"repairEnabled"`
	SnapshotEnabled    bool               `json:"snapshotEnabled"`
	ColdWritesEnabled  bool               `json:"coldWritesEnabled"`
	RetentionOptions   RetentionOptions   `json:"retentionOptions"`
	IndexOptions       IndexOptions       `json:"indexOptions"`
	AggregationOptions AggregationOptions `json:"aggregationOptions"`
}

// RetentionOptions contains the retention period of data and related times.
type RetentionOptions struct {
	RetentionPeriod                     time.Duration `json:"retentionPeriodNanos,string"`
	BlockSize                           time.Duration `json:"blockSizeNanos,string"`
	BufferFuture                        time.Duration `json:"bufferFutureNanos,string"`
	BufferPast                          time.Duration `json:"bufferPastNanos,string"`
	BlockDataExpiry                     bool          `json:"blockDataExpiry"`
	BlockDataExpiryAfterNotAccessPeriod time.Duration `json:"blockDataExpiryAfterNotAccessPeriodNanos,string"`
}

// IndexOptions are the options of the index of series.
type IndexOptions struct {
	Enabled   bool          `json:"enabled"`
	BlockSize time.Duration `json:"blockSizeNanos,string"`
}

// AggregationOptions says in which way the data of a namespace are aggregated.
type AggregationOptions struct {
	Aggregations []Aggregation `json:"aggregations"`
}

// Aggregation is one of the aggregations of a namespace. If the data are stored as they were written, Attributes
// is nil.
type Aggregation struct {
	Aggregated bool        `json:"aggregated"`
	Attributes *Attributes `json:"attributes,omitempty"`
}

// Attributes are the attributes of an aggregate.
type Attributes struct {
	Resolution        time.Duration `json:"resolutionNanos,string"`
	DownsampleOptions *Downsample   `json:"downsampleOptions,omitempty"`
}

// Downsample says whether all data are aggregated, or only the data that rules select.
type Downsample struct {
	All bool `json:"all"`
}

// Namespace is a namespace of a cluster.
type Namespace struct {
	Options
	Staging struct {
		Status string `json:"status"` // UNKNOWN or INITIALIZING until ReadyNamespace was called
	} `json:"stagingState"`
}

// Ready reports whether coordinators use the namespace. After its creation, they neither write to it nor read
// from it until it is made ready. (src/query/storage/m3/dynamic_cluster.go)
func (n Namespace) Ready() bool { return n.Staging.Status == "READY" }

// maxNamespaces is the maximum number of namespaces that is accepted in an answer.
const maxNamespaces = 1000

// Namespaces returns the namespaces of a cluster, by their names.
func (c Client) Namespaces(ctx context.Context, address string) (map[string]Namespace, error) {
	var got struct {
		Registry struct {
			Namespaces map[string]Namespace `json:"namespaces"`
		} `json:"registry"`
	}
	err := c.ask(ctx, http.MethodGet, address, namespacePath, nil, &got)
	if err == nil && len(got.Registry.Namespaces) > maxNamespaces {
		err = fmt.Errorf("%w like an M3 coordinator: it has more than %d namespaces", ErrSilent, maxNamespaces)
	}
	return got.Registry.Namespaces, err
}

// CreateNamespace creates a namespace. Coordinators use it only after [Client.ReadyNamespace].
func (c Client) CreateNamespace(ctx context.Context, address, name string, o Options) error {
	return c.ask(ctx, http.MethodPost, address, namespacePath, map[string]any{"name": name, "options": o}, nil)
}

// ReadyNamespace makes coordinators use a namespace, after most nodes have it.
func (c Client) ReadyNamespace(ctx context.Context, address, name string) error {
	return c.ask(ctx, http.MethodPost, address, namespacePath+"/ready", map[string]any{"name": name}, nil)
}

// SetRetention changes the retention period of a namespace. No other option of a namespace can be changed.
func (c Client) SetRetention(ctx context.Context, address, name string, period time.Duration) error {
	options := map[string]any{"retentionOptions": map[string]any{"retentionPeriodNanos": fmt.Sprint(period.Nanoseconds())}}
	return c.ask(ctx, http.MethodPut, address, namespacePath, map[string]any{"name": name, "options": options}, nil)
}

// DeleteNamespace deletes a namespace with all its data.
func (c Client) DeleteNamespace(ctx context.Context, address, name string) error {
	return c.ask(ctx, http.MethodDelete, address, namespacePath+"/"+url.PathEscape(name), nil, nil)
}
