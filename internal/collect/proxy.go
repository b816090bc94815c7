package collect

import (
	"errors"
	"io"
	"net"
	"sync"

	"github.com/txrobust/robust/internal/dbserver"
)

// proxy forwards connections to a server, until it is told otherwise. It listens on the
// loopback interface.
type proxy struct {
	l net.Listener

	mu     sync.Mutex
	target dbserver.Address
	moved  *sync.Cond // state has changed
	state  linkState
	conns  map[net.Conn]bool
}

// linkState is what a proxy does with bytes.
type linkState int

const (
	forwards linkState = iota
	silent             // bytes wait, connections stay open
	cut                // connections are closed, new ones too
	closed
)

func newProxy(target dbserver.Address) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{l: l, target: target, conns: map[net.Conn]bool{}}
	p.moved = sync.NewCond(&p.mu)
	go p.accept()
	return p, nil
}

func (p *proxy) address() dbserver.Address {
	return dbserver.Address{Network: "tcp", Addr: p.l.Addr().String()}
}

func (p *proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return // it is closed
		}
		go p.serve(client)
	}
}

// serve forwards both ways.
func (p *proxy) serve(client net.Conn) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial(target.Network, target.Addr)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	if p.state >= cut {
		p.mu.Unlock()
		client.Close()
		server.Close()
		return
	}
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.forward(server, client) })
	both.Go(func() { p.forward(client, server) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}

// forward copies bytes until one side ends, which ends the other one.
func (p *proxy) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.await() {
			return
		}
		if _, e := to.Write(buffer[:n]); err != nil || e != nil {
			return
		}
	}
}

// await waits as long as the link is silent. It is false if the link is cut.
func (p *proxy) await() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.state == silent {
		p.moved.Wait()
	}
	return p.state == forwards
}

// lead leads new connections to another server.
func (p *proxy) lead(target dbserver.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// set changes what the proxy does.
func (p *proxy) set(s linkState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
	p.moved.Broadcast()
	if s >= cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

func (p *proxy) close() error {
	p.set(closed)
	if err := p.l.Close(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
