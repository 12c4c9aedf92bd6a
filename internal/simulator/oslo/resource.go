package oslo

import (
	"net/http"
	"net/url"
)

// Style contains the functions that all collections of a service share.
type Style struct {
	// Refuse returns the function that makes the error if the collection's table refuses a request.
	Refuse func(resource string) Refuse
	// Body parses the record in the body of a request.
	Body func(c *Call, resource string) (map[string]any, *Error)
	// Sees returns a function that reports which projects' records the caller may see.
	Sees func(*Call) (func(owner string) bool, *Error)
	// Page parses the query of a list.
	Page func(t Table, q url.Values) (Page, *Error)
	// NoMarker returns the error for a marker that names no record of the list.
	NoMarker func(marker string) *Error
	// List returns the body of the answer to a list request.
	List func(c *Call, resource string, p Page, views []any, last string, total int) any
}

// Resource is a collection whose records are created, read, updated, deleted and listed by means of its table.
// Its functions implement the special behaviour of the collection.
type Resource[T any] struct {
	*Style
	Name    string // the name of a record: "zone"
	Table   Table
	ID      func(*T) string
	Owner   func(*T) string // the project
	Missing func(id string) *Error
	// Within, if set, finds the parent record that the path names, and reports
	// which records belong to it.
	Within func(*Call) (func(*T) bool, *Error)
	// Check completes a record with the values of the request, and validates it
	// before it is stored. old is nil for a new record.
	Check func(c *Call, rec, old *T, v Values) *Error
	// Stored, if set, is called after a new or changed record was stored.
	Stored func(c *Call, rec, old *T)
	// Remove deletes a record, or starts its deletion.
	Remove func(*Call, *T) *Error
	// Answer returns the answer that shows one record. Where returns the path of a record.
	Answer func(*Call, *T) *Response
	View   func(*Call, *T) any
	Where  func(*T) string

	Fields Fields
	Store  *Collection[T]
}

// Serve adds the routes of the collection at path to a service. id is the name of the path's wildcard for a
// record. update is the HTTP method that changes a record.
func (r *Resource[T]) Serve(s *Service, path, id, update string) {
	r.Fields, r.Store = FieldsOf[T](), NewCollection(r.ID)
	s.Handle("GET "+path, func(c *Call) (*Response, error) { return r.answer(r.list(c, r.Within)) })
	s.Handle("POST "+path, func(c *Call) (*Response, error) { return r.answer(r.create(c)) })
	one := func(method string, h func(*Call, *T) *Error) {
		s.Handle(method+" "+path+"/{"+id+"}", func(c *Call) (*Response, error) {
			rec, err := r.Find(c, id)
			if err == nil {
				err = h(c, rec)
			}
			if err != nil {
				return nil, err
			}
			return r.Answer(c, rec), nil
		})
	}
	one("GET", func(*Call, *T) *Error { return nil })
	one(update, r.update)
	one("DELETE", r.Remove)
}

// answer prevents that a nil *Error becomes a non-nil error.
func (r *Resource[T]) answer(resp *Response, err *Error) (*Response, error) {
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// Find finds the record that a wildcard of the path names, if the caller may see it.
func (r *Resource[T]) Find(c *Call, id string) (*T, *Error) {
	sees, err := r.Sees(c)
	if err != nil {
		return nil, err
	}
	within := func(*T) bool { return true }
	if r.Within != nil {
		if within, err = r.Within(c); err != nil {
			return nil, err
		}
	}
	rec, ok := r.Store.Get(c.PathValue(id))
	if !ok || !sees(r.Owner(rec)) || !within(rec) {
		return nil, r.Missing(c.PathValue(id))
	}
	return rec, nil
}

func (r *Resource[T]) create(c *Call) (*Response, *Error) {
	if r.Within != nil {
		if _, err := r.Within(c); err != nil {
			return nil, err
		}
	}
	in, err := r.Body(c, r.Name)
	if err != nil {
		return nil, err
	}
	v, err := r.Table.Create(in, r.Refuse(r.Name))
	if err != nil {
		return nil, err
	}
	rec := new(T)
	r.Fields.Set(rec, v)
	if err := r.Check(c, rec, nil, v); err != nil {
		return nil, err
	}
	r.Store.Add(rec)
	if r.Stored != nil {
		r.Stored(c, rec, nil)
	}
	return r.Answer(c, rec).With("Location", c.Base+r.Where(rec)), nil
}

// update changes all requested attributes of a record, or none. An attribute that already has the requested
// value counts as unchanged.
func (r *Resource[T]) update(c *Call, rec *T) *Error {
	in, err := r.Body(c, r.Name)
	if err != nil {
		return err
	}
	r.Fields.DropUnchanged(rec, in)
	v, err := r.Table.Update(in, r.Refuse(r.Name))
	if err != nil {
		return err
	}
	next, old := *rec, *rec
	r.Fields.Set(&next, v)
	if err := r.Check(c, &next, &old, v); err != nil {
		return err
	}
	*rec = next
	if r.Stored != nil {
		r.Stored(c, rec, &old)
	}
	return nil
}

// ListAll lists all records of the collection, regardless of their parent records.
func (r *Resource[T]) ListAll(c *Call) (*Response, error) { return r.answer(r.list(c, nil)) }

func (r *Resource[T]) list(c *Call, in func(*Call) (func(*T) bool, *Error)) (*Response, *Error) {
	sees, err := r.Sees(c)
	if err != nil {
		return nil, err
	}
	within := func(*T) bool { return true }
	if in != nil {
		if within, err = in(c); err != nil {
			return nil, err
		}
	}
	p, err := r.Page(r.Table, c.Query())
	if err != nil {
		return nil, err
	}
	recs := r.Store.Where(func(rec *T) bool { return sees(r.Owner(rec)) && within(rec) && p.Fits(r.Fields, rec) })
	total := len(recs)
	SortBy(recs, r.Fields, p.Order...)
	if p.Marker != "" {
		var found bool
		if recs, found = After(recs, r.ID, p.Marker); !found {
			return nil, r.NoMarker(p.Marker)
		}
	}
	if p.Limit > 0 && len(recs) > p.Limit {
		recs = recs[:p.Limit]
	}
	views, last := []any{}, ""
	for _, rec := range recs {
		views, last = append(views, r.View(c, rec)), r.ID(rec)
	}
	return &Response{Status: http.StatusOK, Body: r.List(c, r.Name, p, views, last, total)}, nil
}
