package glance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// render encodes errors of webob.exc in the form of glance/common/wsgi.py.
func render(e *oslo.Error) (string, []byte) {
	if e.Status == http.StatusMethodNotAllowed {
		e.Kind, e.Message = "Method", "The method is not allowed for this resource."
	}
	title := http.StatusText(e.Status)
	message := e.Message + "<br /><br />\n\n\n"
	switch {
	case e.Kind == "Detail": // the message consists of a fixed explanation and a detail
		explanation, detail, _ := strings.Cut(e.Message, "\x00")
		message = explanation + "<br /><br />\n" + detail + "\n\n"
	case e.Kind == "Method":
		message = e.Message + " <br /><br />\n"
	case e.Status == http.StatusUnsupportedMediaType:
		message = e.Message + "\n<br /><br />\n"
	}
	b, err := json.Marshal(map[string]string{"message": message, "code": fmt.Sprintf("%d %s", e.Status, title), "title": title})
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}

func badRequest(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "HTTPBadRequest", format, args...)
}

func forbidden(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "HTTPForbidden", format, args...)
}

// denied returns an error whose text Glance shows after the fixed sentence "Access was denied to this
// resource.".
func denied(format string, args ...any) *oslo.Error {
	e := forbidden(format, args...)
	e.Kind, e.Message = "Detail", "Access was denied to this resource.\x00"+e.Message
	return e
}

func unauthorizedFor(action string) *oslo.Error {
	return forbidden("You are not authorized to complete %s action.", action)
}

func missing(id string) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "ImageNotFound", "No image found with ID %s", id)
}

func conflict(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "HTTPConflict", format, args...)
}

func patchConflict(detail string) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "Detail", "There was a conflict when trying to complete your request.\x00%s", detail)
}

// mismatch is jsonschema's long message, which glance/schema.py passes on.
func mismatch(format string, args ...any) *oslo.Error {
	return badRequest("Provided object does not match schema 'image': %s", fmt.Sprintf(format, args...))
}
