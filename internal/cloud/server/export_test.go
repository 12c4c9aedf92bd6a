package server

func NewPort(id string) port   { return port{ID: id} }
func NewVolume(id string) link { return link{ID: id} }
