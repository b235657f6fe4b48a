package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
)

// client is a small HTTP/1.1 client on one kept connection: it writes prepared bytes and reads status and body.
// It is cheap, so that the figure is the server's and not its own.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(ctx context.Context, addr string) (*client, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// request is the head and body of a POST of JSON.
func request(path, token, key, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, token, key, len(body), body)
}

// do sends the request and returns the status of its answer.
func (c *client) do(req []byte) (int, error) {
	if _, err := c.conn.Write(req); err != nil {
		return 0, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, errors.New("answer without a status")
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, fmt.Errorf("status line %q: %w", line, err)
	}
	length := 0
	for {
		line, err = c.r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		name, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		if !found {
			break
		}
		if textproto.CanonicalMIMEHeaderKey(name) == "Content-Length" {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, fmt.Errorf("content length %q: %w", value, err)
			}
		}
	}
	_, err = io.CopyN(io.Discard, c.r, int64(length))
	return status, err
}
