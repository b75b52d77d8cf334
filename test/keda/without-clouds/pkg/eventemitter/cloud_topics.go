package eventemitter

import (
	"context"
	"errors"

	"github.com/go-logr/logr"

	eventingv1alpha1 "github.com/kedacore/keda/v2/apis/eventing/v1alpha1"
	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

// NewAzureEventGridTopicHandler refuses: this build of KEDA sends no events to clouds.
func NewAzureEventGridTopicHandler(context.Context, string, *eventingv1alpha1.AzureEventGridTopicSpec, map[string]string, kedav1alpha1.AuthPodIdentity, logr.Logger) (EventDataHandler, error) {
	return nil, errors.New("this build of KEDA sends no events to Azure Event Grid")
}
