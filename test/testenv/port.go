package testenv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range ports are taken from. It lies below the one kernels give to outgoing connections: a client that keeps dialling a
// dead server there can be handed the server's own port, is then connected to itself, and the server cannot come back.
const (
	portMin = 20000
	portMax = 32000
)

// freePort returns a loopback port nobody listens on now.
func freePort() (int, error) {
	for range 200 {
		port := portMin + rand.IntN(portMax-portMin) //nolint:gosec // spreading, not secrecy
		l, err := net.Listen("tcp", loopback(port))  //nolint:noctx // closed at once
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return 0, fmt.Errorf("close the listener on port %d: %w", port, err)
		}
		return port, nil
	}
	return 0, errors.New("find a free loopback port: none in 200 tries")
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
