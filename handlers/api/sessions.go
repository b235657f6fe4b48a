package api

import (
	"context"
	"net/http"

	"usher/handlers/request"
	"usher/service"
	"usher/service/domain"
)

// Sessions signs people in and out.
type Sessions struct {
	Sessions *service.Sessions
	Accounts *service.Accounts
	Clock    *service.Clock
	Cookie   request.SessionCookie
}

type credentials struct {
	Email    string `json:"email,omitempty" doc:"With the password: sign in. Without both: come as a guest."`
	Password string `json:"password,omitempty"`
}

type createSessionInput struct{ Body credentials }

type sessionAnswer struct {
	Token  string          `json:"token" doc:"For Authorization: Bearer. The cookie carries the same."`
	UserID string          `json:"user_id"`
	Kind   domain.UserKind `json:"kind" enum:"guest,account,staff"`
}

type sessionOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      sessionAnswer
}

// Create begins a session: of a guest, or of an account or staff member whose earlier session here then ends.
func (s *Sessions) Create(ctx context.Context, in *createSessionInput) (*sessionOutput, error) {
	if in.Body.Email == "" && in.Body.Password == "" {
		user, err := s.Accounts.Guest(ctx)
		if err != nil {
			return nil, err
		}
		return s.begin(ctx, user)
	}
	user, err := s.Accounts.SignIn(ctx, in.Body.Email, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return s.replace(ctx, user)
}

type signUpInput struct {
	Body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
		Name     string `json:"name,omitempty"`
	}
}

// SignUp makes an account. A guest keeps id and orders.
func (s *Sessions) SignUp(ctx context.Context, in *signUpInput) (*sessionOutput, error) {
	req := service.SignUpRequest{Email: in.Body.Email, Password: in.Body.Password, Name: in.Body.Name}
	if v := request.Visitor(ctx); v.Kind == domain.UserGuest {
		req.GuestID = v.UserID
	}
	user, err := s.Accounts.SignUp(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.replace(ctx, user)
}

type endSessionOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

// End signs out. Somebody who is nobody is signed out already.
func (s *Sessions) End(ctx context.Context, _ *empty) (*endSessionOutput, error) {
	if token := request.InfoOf(ctx).Token; token != "" {
		if err := s.Sessions.End(ctx, token); err != nil {
			return nil, err
		}
	}
	return &endSessionOutput{SetCookie: *s.Cookie.Clear()}, nil
}

// replace ends the session of before: what was known under its token is not known to the new one's holder alone.
func (s *Sessions) replace(ctx context.Context, user domain.User) (*sessionOutput, error) {
	if token := request.InfoOf(ctx).Token; token != "" {
		if err := s.Sessions.End(ctx, token); err != nil {
			return nil, err
		}
	}
	return s.begin(ctx, user)
}

func (s *Sessions) begin(ctx context.Context, user domain.User) (*sessionOutput, error) {
	token, expires, err := s.Sessions.Create(ctx, user)
	if err != nil {
		return nil, err
	}
	return &sessionOutput{
		SetCookie: *s.Cookie.Set(token, expires.Sub(s.Clock.Now())),
		Body:      sessionAnswer{Token: token, UserID: user.ID, Kind: user.Kind},
	}, nil
}
