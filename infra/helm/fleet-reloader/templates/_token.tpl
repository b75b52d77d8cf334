{{/* A pod without a token reaches no API server, and would never be ready. A token may also be mounted by hand, or be in a kubeconfig. */}}
{{- define "fleet-reloader.checkToken" -}}
{{- $account := .Values.reloader.serviceAccount -}}
{{- $ofPod := .Values.reloader.deployment.automountServiceAccountToken -}}
{{- $value := "" -}}
{{- $mend := "" -}}
{{- if eq (toString $ofPod) "false" -}}
{{- $value = "reloader.deployment.automountServiceAccountToken" -}}
{{- $mend = "remove it" -}}
{{- else if and $account.create (not (kindIs "bool" $ofPod)) (eq (toString $account.automountServiceAccountToken) "false") -}}
{{- $value = "reloader.serviceAccount.automountServiceAccountToken" -}}
{{- $mend = "set reloader.deployment.automountServiceAccountToken=true" -}}
{{- end -}}
{{- if and $value (include "fleet-reloader.asksHome" .) (not (include "fleet-reloader.bringsCredentials" .)) -}}
{{- fail (printf "%s is false, but nothing else gives the pods a token, so they would not reach the API server; %s, or mount a projected volume with a token, ca.crt and namespace at /var/run/secrets/kubernetes.io/serviceaccount (reloader.deployment.volumes and volumeMounts)" $value $mend) -}}
{{- end -}}
{{- end -}}

{{/* Not empty where something is asked of the cluster that it runs in. */}}
{{- define "fleet-reloader.asksHome" -}}
{{- $clusters := .Values.fleetReloader.clusters -}}
{{- $finds := or $clusters.secrets $clusters.argocdNamespace $clusters.profiles -}}
{{- $made := include "fleet-reloader.madeSecrets" . | mustFromJson -}}
{{- if or (include "fleet-reloader.servesHub" .) $finds $made (include "fleet-reloader.freezeConfigMap" .) }}true{{ end -}}
{{- end -}}

{{/* Not empty where a volume is mounted in the place of the token or of a kubeconfig, or a flag or a variable names a kubeconfig. */}}
{{- define "fleet-reloader.bringsCredentials" -}}
{{- range .Values.reloader.deployment.volumeMounts -}}
{{- if regexMatch "^(/var)?/run(/secrets(/kubernetes\\.io(/serviceaccount(/token)?)?)?)?/?$|/\\.kube(/config)?/?$" (toString .mountPath) }}true{{ end -}}
{{- end -}}
{{- $said := list .Values.fleetReloader.args .Values.fleetReloader.hub .Values.reloader.deployment.env | toJson -}}
{{- if regexMatch "\"--kubeconfig[=\"]|\"KUBECONFIG\":\"[^\"]" $said }}true{{ end -}}
{{- end -}}
