package events

// Look says where something may have changed.
type Look struct {
	// Service is the catalog type of the service, such as "compute"; "" if it is unknown.
	Service string
	// Collection is the service's own noun for the type of the object, such as "server"; "" if it is unknown. Then any object of the project
	// may have changed.
	Collection string
	// Project is the ID of the project to which the object belongs; "" if the message does not name it.
	Project string
	// ID is the ID of the object; "" if the message does not name exactly one.
	ID  string
	Who User
}

// User is the user who caused a message. A field is "" if the message does not name it.
type User struct {
	ID, Name string
	Project  string // the ID of the project in which the user works
}

// Text returns the name of the user, or else the ID.
func (w User) Text() string {
	if w.Name != "" {
		return w.Name
	}
	return w.ID
}
