package main

import (
	"context"
	"io"
)

type serveCommand struct{}

func (serveCommand) Run(ctx context.Context, out io.Writer, s *Settings) error { return nil }
