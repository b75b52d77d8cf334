{{/* The namespaces that are served, as JSON; `[]` with a ClusterRole. The release's own is always among them. */}}
{{- define "fleet-reloader.namespaces" -}}
{{- if .Values.reloader.watchGlobally -}}
[]
{{- else -}}
{{- $given := .Values.reloader.namespaces | default list -}}
{{- if kindIs "string" $given }}{{ $given = splitList "," $given }}{{ end -}}
{{- $all := list (include "fleet-reloader.namespace" .) -}}
{{- range $given -}}
{{- with trim (toString .) }}{{ $all = append $all . }}{{ end -}}
{{- end -}}
{{- $all | uniq | sortAlpha | toJson -}}
{{- end -}}
{{- end -}}

{{/* Not empty when instances share a Redis. */}}
{{- define "fleet-reloader.hasRedis" -}}
{{- if or .Values.fleetReloader.redis.url .Values.fleetReloader.redis.existingSecret (include "fleet-reloader.hasValkey" .) }}true{{ end -}}
{{- end -}}

{{/* Empty where who scales decides. */}}
{{- define "fleet-reloader.replicas" -}}
{{- if eq (.Component | default "") "watcher" -}}
{{- int .Values.fleetReloader.hub.watcher.replicas -}}
{{- else if eq (.Component | default "") "worker" -}}
{{- if not .Values.fleetReloader.hub.keda.enabled }}{{ int .Values.fleetReloader.hub.worker.replicas }}{{ end -}}
{{- else if eq (.Component | default "") "dashboard" -}}
{{- /* The next page of a list is known to the process that gave out the first. */ -}}
1
{{- else -}}
{{- $wanted := int .Values.reloader.deployment.replicas -}}
{{- if include "fleet-reloader.hasRedis" . }}{{ $wanted }}{{ else }}{{ min $wanted 1 }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Not empty when the data dir is kept in a claim. Several pods have none: a claim is for one node, and they share Redis. */}}
{{- define "fleet-reloader.hasClaim" -}}
{{- $kept := .Values.fleetReloader.persistence -}}
{{- if and (ne .Values.fleetReloader.mode "hub") (or $kept.enabled $kept.existingClaim) (le (int (include "fleet-reloader.replicas" .)) 1) }}true{{ end -}}
{{- end -}}

{{/* The port of the gRPC server that KEDA's push trigger asks; empty where there is none. */}}
{{- define "fleet-reloader.scalerPort" -}}
{{- $keda := .Values.fleetReloader.hub.keda -}}
{{- if and (eq (.Component | default "") "watcher") (eq .Values.fleetReloader.mode "hub") $keda.enabled (eq ($keda.trigger | default "poll") "push") }}{{ int $keda.push.port }}{{ end -}}
{{- end -}}

{{/* The Secret with the certificate of that server; empty: it has no TLS. */}}
{{- define "fleet-reloader.scalerSecret" -}}
{{- if include "fleet-reloader.scalerPort" . }}{{ .Values.fleetReloader.hub.keda.push.serverSecret }}{{ end -}}
{{- end -}}

{{/* What cannot work is refused here: a message instead of a pod that does not start. */}}
{{- define "fleet-reloader.check" -}}
{{- $reloader := .Values.reloader -}}
{{- $own := .Values.fleetReloader -}}
{{- if and $reloader.watchGlobally $reloader.namespaces -}}
{{- fail "reloader.namespaces is set while reloader.watchGlobally is true; set reloader.watchGlobally=false to serve these namespaces only, or remove reloader.namespaces" -}}
{{- end -}}
{{- if $reloader.watchGlobally -}}
{{- include "fleet-reloader.checkNames" (list "reloader.ignoreNamespaces" (regexSplit "[,\n]" ($reloader.ignoreNamespaces | default "") -1)) -}}
{{- else -}}
{{- include "fleet-reloader.checkNames" (list "reloader.namespaces" (include "fleet-reloader.namespaces" . | mustFromJson)) -}}
{{- end -}}
{{- if and $reloader.ignoreSecrets $reloader.ignoreConfigMaps -}}
{{- fail "reloader.ignoreSecrets and reloader.ignoreConfigMaps are both true; nothing is left to look at: set one of them to false" -}}
{{- end -}}
{{- if not (or .Values.image.repository .Values.global.imageRegistry) -}}
{{- $says := "image.repository is empty, and no image of fleet-reloader is published; build one with ./dev image, push it, and set image.repository=REGISTRY/fleet-reloader" -}}
{{- /* An alias is the chart's name, too. */}}
{{- if and (contains "/charts/" .Template.BasePath) (ne .Chart.Name "reloader") -}}
{{- $says = printf "%s; this chart is a dependency called %s: give it alias: reloader where the values of Stakater Reloader stand under reloader" $says .Chart.Name -}}
{{- end -}}
{{- fail $says -}}
{{- end -}}
{{- range $key := list "name" "repository" -}}
{{- if contains "stakater/reloader" (get $.Values.image $key | default "") -}}
{{- fail (printf "image.%s is %s, the image of Stakater Reloader; name the one of fleet-reloader, and remove its image.tag" $key (get $.Values.image $key)) -}}
{{- end -}}
{{- end -}}
{{- if eq $own.mode "hub" -}}
{{- if not (include "fleet-reloader.hasRedis" .) -}}
{{- fail "fleetReloader.mode is hub, but there is no Redis that watchers and workers share; set fleetReloader.redis.url, fleetReloader.redis.existingSecret or fleetReloader.hub.valkey.enabled=true" -}}
{{- end -}}
{{- if not (include "fleet-reloader.markKeySecret" .) -}}
{{- fail "fleetReloader.mode is hub, but fleetReloader.markKey.create is false and fleetReloader.markKey.existingSecret is empty: all workers need the same key; set one of the two" -}}
{{- end -}}
{{- if gt (int $own.hub.keda.minReplicaCount) (int $own.hub.keda.maxReplicaCount) -}}
{{- fail (printf "fleetReloader.hub.keda.minReplicaCount is %d, more than maxReplicaCount, which is %d; lower the one or raise the other" (int $own.hub.keda.minReplicaCount) (int $own.hub.keda.maxReplicaCount)) -}}
{{- end -}}
{{- if hasKey ($reloader.matchLabels | default dict) "app.kubernetes.io/component" -}}
{{- fail "reloader.matchLabels holds app.kubernetes.io/component, by which the Deployments of a hub find their own pods; give it another name, or remove it" -}}
{{- end -}}
{{- $push := $own.hub.keda.push -}}
{{- if ne (empty $push.serverSecret) (empty $push.clientSecret) -}}
{{- fail "fleetReloader.hub.keda.push needs serverSecret and clientSecret together: with the one alone KEDA is not answered; set both or neither" -}}
{{- end -}}
{{- else if or $own.hub.valkey.enabled $own.hub.keda.enabled -}}
{{- fail "fleetReloader.hub.valkey and fleetReloader.hub.keda are for fleetReloader.mode=hub; set that, or leave them disabled" -}}
{{- else if $own.hub.dashboard.enabled -}}
{{- fail "fleetReloader.hub.dashboard.enabled is true, but fleetReloader.mode is standalone, which serves the page itself; set fleetReloader.mode=hub, or leave it disabled" -}}
{{- end -}}
{{- if and (include "fleet-reloader.hasValkey" .) (or $own.redis.url $own.redis.existingSecret) -}}
{{- fail "fleetReloader.hub.valkey.enabled is true and fleetReloader.redis names another Redis; keep one of them" -}}
{{- end -}}
{{- if and $own.redis.url $own.redis.existingSecret -}}
{{- fail "fleetReloader.redis.url and fleetReloader.redis.existingSecret are both set; keep one of them" -}}
{{- end -}}
{{- if contains "@" ($own.redis.url | default "") -}}
{{- fail "fleetReloader.redis.url holds a user or password; put the URL into a Secret and name that in fleetReloader.redis.existingSecret" -}}
{{- end -}}
{{- include "fleet-reloader.checkAudit" . -}}
{{- include "fleet-reloader.checkToken" . -}}
{{- if and (eq (toString $own.clusters.serveHub) "false") (not (include "fleet-reloader.mayRegister" .)) -}}
{{- fail "fleetReloader.clusters.serveHub is false, but no other cluster is registered, so the one that it runs in would be served; name others in fleetReloader.clusters, or leave serveHub true" -}}
{{- end -}}
{{- if and (ne $own.mode "hub") (gt (int (include "fleet-reloader.replicas" .)) 1) (not (include "fleet-reloader.markKeySecret" .)) -}}
{{- fail "fleetReloader.markKey.create is false and fleetReloader.markKey.existingSecret is empty, but reloader.deployment.replicas is more than 1: all instances need the same key; set one of the two" -}}
{{- end -}}
{{- end -}}

{{/* Of (list VALUE NAMES): the process would end with the same message. An item of its flag may stand in quotes. */}}
{{- define "fleet-reloader.checkNames" -}}
{{- $value := index . 0 -}}
{{- range index . 1 -}}
{{- $name := regexReplaceAll "^\"([^\"]*)\"$" (trim .) "${1}" | trim -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$" $name) -}}
{{- fail (printf "%s: %s is no name of a namespace; write exact names, such as team-a,team-b" $value (toJson $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Not empty when changes are told to a webhook instead of being rolled, whichever way that is said: its URL may be a secret, and come as a
variable.
*/}}
{{- define "fleet-reloader.onlyTells" -}}
{{- $own := .Values.fleetReloader -}}
{{- $said := list $own.args $own.hub .Values.reloader.deployment.env | toJson -}}
{{- if or .Values.reloader.webhookUrl (regexMatch "\"--webhook-url(=|\",\")[^\"]|\"FLEET_RELOADER_WEBHOOK_URL\":\"[^\"]" $said) }}true{{ end -}}
{{- end -}}

{{/* Not empty when clusters are or may be registered: also a flag or a variable can say so. */}}
{{- define "fleet-reloader.mayRegister" -}}
{{- $said := list .Values.fleetReloader.args .Values.fleetReloader.hub .Values.reloader.deployment.env | toJson -}}
{{- $isTold := regexMatch "--(cluster-secrets|argocd-clusters|cluster-profiles|kubeconfig|context|serve-hub)|\"(KUBECONFIG|FLEET_RELOADER_(CLUSTER|ARGOCD|KUBECONFIG|SERVE_HUB))" $said -}}
{{- if or $isTold (include "fleet-reloader.registers" .) }}true{{ end -}}
{{- end -}}

{{/* Not empty when the values name where clusters are registered. */}}
{{- define "fleet-reloader.registers" -}}
{{- $clusters := .Values.fleetReloader.clusters -}}
{{- if or $clusters.kubeconfigSecrets $clusters.secrets $clusters.argocdNamespace $clusters.profiles }}true{{ end -}}
{{- end -}}

{{/*
Empty where the cluster that it runs in registers others and is not served itself: the rights of registration.yaml are enough. As far as the
values tell: flags and variables may say otherwise.
*/}}
{{- define "fleet-reloader.servesHub" -}}
{{- $own := .Values.fleetReloader -}}
{{- $said := list $own.args $own.hub .Values.reloader.deployment.env | toJson -}}
{{- $isTold := regexMatch "\"--(serve-hub|kubeconfig|context)[=\"]|\"(FLEET_RELOADER_SERVE_HUB|KUBECONFIG|FLEET_RELOADER_CONTEXTS?)\":" $said -}}
{{- if or $isTold (ne (toString $own.clusters.serveHub) "false") (not (include "fleet-reloader.registers" .)) }}true{{ end -}}
{{- end -}}

{{/* Not empty when the release brings its own Redis. */}}
{{- define "fleet-reloader.hasValkey" -}}
{{- if and (eq .Values.fleetReloader.mode "hub") .Values.fleetReloader.hub.valkey.enabled }}true{{ end -}}
{{- end -}}

{{- define "fleet-reloader.valkeyName" -}}
{{- include "fleet-reloader.fullname" . | trunc 55 | trimSuffix "-" -}}-valkey
{{- end -}}

{{- define "fleet-reloader.valkeySecret" -}}
{{- .Values.fleetReloader.hub.valkey.existingSecret | default (include "fleet-reloader.madeValkeySecret" .) -}}
{{- end -}}

{{/*
The Secret that the processes make with Valkey's password; empty: there is none. Earlier charts rendered one of another name, which Helm
removes at an upgrade.
*/}}
{{- define "fleet-reloader.madeValkeySecret" -}}
{{- if and (include "fleet-reloader.hasValkey" .) (not .Values.fleetReloader.hub.valkey.existingSecret) -}}
{{- include "fleet-reloader.valkeyName" . | trunc 54 | trimSuffix "-" }}-password
{{- end -}}
{{- end -}}

{{- define "fleet-reloader.valkeyLabels" -}}
app: {{ include "fleet-reloader.valkeyName" . | quote }}
release: {{ .Release.Name | quote }}
app.kubernetes.io/name: valkey
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}
