package resolver

import (
	"context"
	"errors"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

// errNoCloud is what a TriggerAuthentication gets that names the secret store of a cloud.
var errNoCloud = errors.New("this build of KEDA has no secret stores of clouds")

type AwsSecretManagerHandler struct{}

func NewAwsSecretManagerHandler(*kedav1alpha1.AwsSecretManager) *AwsSecretManagerHandler {
	return &AwsSecretManagerHandler{}
}

func (*AwsSecretManagerHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister, *corev1.PodSpec) error {
	return errNoCloud
}

func (*AwsSecretManagerHandler) Read(context.Context, logr.Logger, string, string, string, string) (string, error) {
	return "", errNoCloud
}

func (*AwsSecretManagerHandler) Stop() {}

type AzureKeyVaultHandler struct{}

func NewAzureKeyVaultHandler(*kedav1alpha1.AzureKeyVault) *AzureKeyVaultHandler {
	return &AzureKeyVaultHandler{}
}

func (*AzureKeyVaultHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister) error {
	return errNoCloud
}

func (*AzureKeyVaultHandler) Read(context.Context, string, string) (string, error) {
	return "", errNoCloud
}

type GCPSecretManagerHandler struct{}

func NewGCPSecretManagerHandler(*kedav1alpha1.GCPSecretManager) *GCPSecretManagerHandler {
	return &GCPSecretManagerHandler{}
}

func (*GCPSecretManagerHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister) error {
	return errNoCloud
}

func (*GCPSecretManagerHandler) Read(context.Context, string, string) (string, error) {
	return "", errNoCloud
}
