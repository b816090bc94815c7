// Package ent is as ent generates it, as far as tests need it.
package ent

import (
	"context"

	"entgo.io/ent/dialect"
	"example.com/people/ent/predicate"
	"example.com/people/ent/user"
)

type config struct{ driver dialect.Driver }

type Client struct {
	config
	User *UserClient
}

type Tx struct {
	config
	User *UserClient
}

type UserClient struct{ config }

type UserQuery struct{ config }

type UserUpdateOne struct{ config }

type User struct {
	ID  int
	Age int
}

var table = user.Table

func (c *Client) Tx(ctx context.Context) (*Tx, error)            { return &Tx{config: c.config}, nil }
func (tx *Tx) Commit() error                                     { return nil }
func (tx *Tx) Rollback() error                                   { return nil }
func (tx *Tx) Client() *Client                                   { return &Client{config: tx.config} }
func (c *UserClient) Query() *UserQuery                          { return &UserQuery{c.config} }
func (c *UserClient) UpdateOneID(id int) *UserUpdateOne          { return &UserUpdateOne{c.config} }
func (q *UserQuery) Where(ps ...predicate.User) *UserQuery       { return q }
func (q *UserQuery) Only(ctx context.Context) (*User, error)     { return nil, nil }
func (q *UserQuery) CountX(ctx context.Context) int              { return 0 }
func (u *UserUpdateOne) SetAge(i int) *UserUpdateOne             { return u }
func (u *UserUpdateOne) Save(ctx context.Context) (*User, error) { return nil, nil }
