// Package rabbit reads the notifications of OpenStack's services from RabbitMQ.
//
//	exchanges nova, neutron, … ─copies─▶ own queue, bounded ─▶ Reader ─▶ Received(body), Missed()
//
// The queue belongs to one connection. It never takes messages from other readers, such as Ceilometer, and it ends with the connection. The
// package knows AMQP and how to recover from its failures. It does not know the content of messages.
package rabbit
