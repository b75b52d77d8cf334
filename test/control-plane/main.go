// Command control-plane is a Kubernetes control plane for tests in one file:
// etcd, kube-apiserver and kube-controller-manager, unmodified, behind one
// binary. The first argument, or the name the binary is called by, says which:
//
//	control-plane etcd --data-dir ...
//	control-plane kube-apiserver --etcd-servers ...
//	control-plane kube-controller-manager --kubeconfig ...
//
// Everything after that word is the component's own command line. One process
// runs one component: several in one process would share feature gates, metric
// registries and the log. There is no kubelet and no scheduler.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // CronJob time zones on machines without zone files

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client and queue metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build version metric
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// components maps each name to what runs it. They read os.Args, whose first
// word is the component's name by then, and end the process themselves.
var components = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { runCobra(apiserver.NewAPIServerCommand) },
	"kube-controller-manager": func() { runCobra(controllermanager.NewControllerManagerCommand) },
}

func main() {
	if run, called := components[filepath.Base(os.Args[0])]; called {
		run()
		return
	}
	if len(os.Args) > 1 {
		if run, named := components[os.Args[1]]; named {
			os.Args = os.Args[1:]
			run()
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|kube-controller-manager [flags]")
	os.Exit(2)
}

// runCobra takes the constructor, not the command: building either command
// registers flags, so only the chosen one may be built.
func runCobra(newCommand func() *cobra.Command) {
	os.Exit(cli.Run(newCommand()))
}
