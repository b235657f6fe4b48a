// Package paygate holds the payment gateways that usher knows. Each fills service.PaymentGateway.
//
// The built-in sandbox moves no money. It signs and sends its messages like a gateway elsewhere would (Standard
// Webhooks over HTTP to usher's own address), so everything behind the callback is exercised for real.
package paygate
