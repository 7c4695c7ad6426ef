// Package lan proves the session library on networks: session hosts and clients are processes of their own in network
// namespaces with cables between them that can be pulled, delayed, cut in one direction or put behind NAT. Its tests have
// the build tag e2e; those that run for minutes have soak too.
package lan
