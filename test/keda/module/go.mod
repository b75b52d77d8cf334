// Pins KEDA; its own go.mod and go.sum, which come with it, pin the rest.
module fleet-reloader.test/keda

go 1.26.0

require github.com/kedacore/keda/v2 v2.21.0
