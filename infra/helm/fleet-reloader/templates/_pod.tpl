{{/* Lists of names or of objects with a name, as the API wants them. */}}
{{- define "fleet-reloader.pullSecrets" -}}
{{- range $secrets := . }}
{{- range $secrets }}
- name: {{ if kindIs "map" . }}{{ .name }}{{ else }}{{ . }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A value as a flag says it. A whole number of a values file comes as a float, which from a million on is written with an exponent. */}}
{{- define "fleet-reloader.text" -}}
{{- if and (kindIs "float64" .) (eq (toString (floor .)) (toString .)) }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}

{{/* Not empty when there is a value, as false and 0 are. */}}
{{- define "fleet-reloader.hasValue" -}}
{{- if or (not (empty .)) (has (kindOf .) (list "bool" "int" "int64" "float64")) }}true{{ end -}}
{{- end -}}

{{/* Peer-compatible flags are given only where they say something else than nothing; ours always. */}}
{{- define "fleet-reloader.args" -}}
{{- $reloader := .Values.reloader -}}
{{- $own := .Values.fleetReloader -}}
{{- $args := list -}}
{{- with .Component }}{{ $args = append $args . }}{{ end -}}
{{- with $reloader.logFormat }}{{ $args = append $args (printf "--log-format=%s" .) }}{{ end -}}
{{- with $reloader.logLevel }}{{ $args = append $args (printf "--log-level=%s" .) }}{{ end -}}
{{- if $reloader.ignoreSecrets }}{{ $args = append $args "--resources-to-ignore=secrets" }}{{ end -}}
{{- if $reloader.ignoreConfigMaps }}{{ $args = append $args "--resources-to-ignore=configmaps" }}{{ end -}}
{{- $ignored := list -}}
{{- if $reloader.ignoreJobs }}{{ $ignored = append $ignored "jobs" }}{{ end -}}
{{- if $reloader.ignoreCronJobs }}{{ $ignored = append $ignored "cronjobs" }}{{ end -}}
{{- with $ignored }}{{ $args = append $args (printf "--ignored-workload-types=%s" (join "," .)) }}{{ end -}}
{{- if $reloader.watchGlobally -}}
{{- with $reloader.ignoreNamespaces }}{{ $args = append $args (printf "--namespaces-to-ignore=%s" .) }}{{ end -}}
{{- /* In quotes: the flag is read as CSV, and a selector may hold commas. */ -}}
{{- with $reloader.namespaceSelector }}{{ $args = append $args (printf "--namespace-selector=\"%s\"" .) }}{{ end -}}
{{- else if $reloader.namespaces -}}
{{- $args = append $args (printf "--namespaces=%s" (include "fleet-reloader.namespaces" . | mustFromJson | join ",")) -}}
{{- end -}}
{{- with $reloader.resourceLabelSelector }}{{ $args = append $args (printf "--resource-label-selector=%s" .) }}{{ end -}}
{{- range $flag, $key := dict "configmap-annotation" "configmap" "secret-annotation" "secret" "auto-annotation" "auto" "configmap-auto-annotation" "configmap_auto" "secret-auto-annotation" "secret_auto" "auto-search-annotation" "search" "search-match-annotation" "match" "ignore-annotation" "ignore" "pause-deployment-annotation" "pausePeriod" "pause-deployment-time-annotation" "pauseTime" -}}
{{- with get ($reloader.custom_annotations | default dict) $key }}{{ $args = append $args (printf "--%s=%s" $flag .) }}{{ end -}}
{{- end -}}
{{- with $reloader.webhookUrl }}{{ $args = append $args (printf "--webhook-url=%s" .) }}{{ end -}}
{{- if $reloader.isArgoRollouts }}{{ $args = append $args "--is-Argo-Rollouts=true" }}{{ end -}}
{{- if $reloader.enableCSIIntegration }}{{ $args = append $args "--enable-csi-integration=true" }}{{ end -}}
{{- if $reloader.reloadOnCreate }}{{ $args = append $args "--reload-on-create=true" }}{{ end -}}
{{- if $reloader.reloadOnDelete }}{{ $args = append $args "--reload-on-delete=true" }}{{ end -}}
{{- if $reloader.syncAfterRestart }}{{ $args = append $args "--sync-after-restart=true" }}{{ end -}}
{{- if ne ($reloader.reloadStrategy | default "default") "default" }}{{ $args = append $args (printf "--reload-strategy=%s" $reloader.reloadStrategy) }}{{ end -}}
{{- if $reloader.autoReloadAll }}{{ $args = append $args "--auto-reload-all=true" }}{{ end -}}
{{- if $reloader.enableHA }}{{ $args = append $args "--enable-ha=true" }}{{ end -}}
{{- if $reloader.enablePProf -}}
{{- $args = append $args "--enable-pprof" -}}
{{- with $reloader.pprofAddr }}{{ $args = append $args (printf "--pprof-addr=%s" .) }}{{ end -}}
{{- end -}}
{{- $flags := dict "debounce" "debounce" "max-wait" "maxWait" "listen-address" "listenAddress" "shards" "shards" "history-retention" "historyRetention" "history-max-length" "historyMaxLength" -}}
{{- $acts := has (.Component | default "") (list "" "worker") -}}
{{- if $acts }}{{ $_ := set $flags "concurrency" "concurrency" }}{{ end -}}
{{- if not .Component }}{{ $_ := set $flags "dashboard-address" "dashboardAddress" }}{{ end -}}
{{- range $flag, $key := $flags -}}
{{- with include "fleet-reloader.text" (get $own $key) }}{{ $args = append $args (printf "--%s=%s" $flag .) }}{{ end -}}
{{- end -}}
{{- if eq (.Component | default "") "dashboard" }}{{ $args = append $args (printf "--dashboard-address=%s" (include "fleet-reloader.hubPageAddress" .)) }}{{ end -}}
{{- if hasKey (include "fleet-reloader.accessSecrets" . | mustFromJson) "access" }}{{ $args = append $args (printf "--access-file=/etc/fleet-reloader-access/%s" $own.access.existingSecretKey) }}{{ end -}}
{{- if hasKey (include "fleet-reloader.accessSecrets" . | mustFromJson) "page-tls" }}{{ $args = concat $args (list "--dashboard-tls-cert-file=/etc/fleet-reloader-page-tls/tls.crt" "--dashboard-tls-key-file=/etc/fleet-reloader-page-tls/tls.key") }}{{ end -}}
{{- $args = concat $args (include "fleet-reloader.signInArgs" . | mustFromJson) -}}
{{- with include "fleet-reloader.allowedHosts" . | mustFromJson }}{{ $args = append $args (printf "--allowed-hosts=%s" (join "," .)) }}{{ end -}}
{{- $args = append $args "--data-dir=/var/lib/fleet-reloader" -}}
{{- with include "fleet-reloader.scalerPort" . }}{{ $args = append $args (printf "--scaler-listen-address=:%s" .) }}{{ end -}}
{{- if include "fleet-reloader.scalerSecret" . -}}
{{- range $flag, $key := dict "scaler-tls-cert-file" "tls.crt" "scaler-tls-key-file" "tls.key" "scaler-client-ca-file" "ca.crt" -}}
{{- $args = append $args (printf "--%s=/etc/fleet-reloader-scaler/%s" $flag $key) -}}
{{- end -}}
{{- end -}}
{{- $args = concat $args (include "fleet-reloader.auditArgs" . | mustFromJson) -}}
{{- range $own.workloadKinds }}{{ $args = append $args (printf "--workload-kinds=%s" .) }}{{ end -}}
{{- if $own.reloadSuspended }}{{ $args = append $args "--reload-suspended=true" }}{{ end -}}
{{- if $own.reloadFinished }}{{ $args = append $args "--reload-finished=true" }}{{ end -}}
{{- if $own.reloadConcurrent }}{{ $args = append $args "--reload-concurrent=true" }}{{ end -}}
{{- range $own.clusters.kubeconfigSecrets }}{{ $args = append $args (printf "--kubeconfig-dir=/etc/fleet-reloader-clusters/%s" .) }}{{ end -}}
{{- range $own.clusters.secrets }}{{ $args = append $args (printf "--cluster-secrets=%s" .) }}{{ end -}}
{{- with $own.clusters.argocdNamespace }}{{ $args = append $args (printf "--argocd-clusters=%s" .) }}{{ end -}}
{{- with $own.clusters.profiles }}{{ $args = append $args (printf "--cluster-profiles=%s" (ternary "true" . (eq . "*"))) }}{{ end -}}
{{- /* Also when true: with --kubeconfig-dir alone the product takes silence for a no. */ -}}
{{- if kindIs "bool" $own.clusters.serveHub }}{{ $args = append $args (printf "--serve-hub=%t" $own.clusters.serveHub) }}{{ end -}}
{{- if .Component -}}
{{- with include "fleet-reloader.freezeConfigMap" . }}{{ $args = append $args (printf "--freeze-configmap=%s/%s" (include "fleet-reloader.namespace" $) .) }}{{ end -}}
{{- end -}}
{{- if ne (.Component | default "") "watcher" -}}
{{- range $flag, $key := dict "breaker-workload" "breakerWorkload" "breaker-source" "breakerSource" "budget-fleet" "budgetFleet" "budget-cluster" "budgetCluster" "budget-namespace" "budgetNamespace" -}}
{{- with include "fleet-reloader.text" (get $own.brakes $key) }}{{ $args = append $args (printf "--%s=%s" $flag .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if $acts -}}
{{- if not $own.notices.events }}{{ $args = append $args "--events=false" }}{{ end -}}
{{- if $own.notices.alertOnFailure }}{{ $args = append $args "--alert-on-failure=true" }}{{ end -}}
{{- range $flag, $key := dict "alert-burst" "alertBurst" "alert-window" "alertWindow" -}}
{{- with include "fleet-reloader.text" (get $own.notices $key) }}{{ $args = append $args (printf "--%s=%s" $flag .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $own.args }}{{ $args = append $args (include "fleet-reloader.text" .) }}{{ end -}}
{{- range (get (get $own.hub (.Component | default "none") | default dict) "args") | default list }}{{ $args = append $args (include "fleet-reloader.text" .) }}{{ end -}}
{{- range $args }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A probe's numbers, from a list of what the user set and the delay that is meant when nothing is said. */}}
{{- define "fleet-reloader.probeTimes" -}}
{{- $set := index . 0 | default dict -}}
timeoutSeconds: {{ $set.timeoutSeconds | default 5 }}
failureThreshold: {{ $set.failureThreshold | default 5 }}
periodSeconds: {{ $set.periodSeconds | default 10 }}
successThreshold: {{ $set.successThreshold | default 1 }}
initialDelaySeconds: {{ $set.initialDelaySeconds | default (index . 1) }}
{{- end -}}

{{/*
The securityContext of a pod, from a list of the value and the group that is the chart's own. Who takes the user back leaves it to OpenShift,
whose restricted-v2 refuses a group that it did not assign.
*/}}
{{- define "fleet-reloader.podSecurityContext" -}}
{{- $context := deepCopy (index . 0 | default dict) -}}
{{- $ownGroup := index . 1 -}}
{{- if kindIs "invalid" $context.runAsUser -}}
{{- range list "runAsUser" "runAsGroup" "fsGroup" -}}
{{- if or (kindIs "invalid" (get $context .)) (eq (get $context . | int) $ownGroup) }}{{ $_ := unset $context . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- with $context }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "fleet-reloader.containerSecurityContext" -}}
{{- $context := deepCopy (.Values.reloader.deployment.containerSecurityContext | default dict) -}}
{{- if .Values.reloader.readOnlyRootFileSystem }}{{ $_ := set $context "readOnlyRootFilesystem" true }}{{ end -}}
{{- toYaml $context -}}
{{- end -}}

{{- define "fleet-reloader.port" -}}
{{- regexFind "[0-9]+$" . -}}
{{- end -}}

{{/* The port of the page in the pod of a hub's dashboard. */}}
{{- define "fleet-reloader.pagePort" -}}
{{- include "fleet-reloader.port" (.Values.fleetReloader.dashboardAddress | default "127.0.0.1:8080") -}}
{{- end -}}

{{/* The address of the page in the pod of a hub's dashboard. Without a login only a forwarded port reaches it, whatever the address is for standalone. */}}
{{- define "fleet-reloader.hubPageAddress" -}}
{{- $loopback := printf "127.0.0.1:%s" (include "fleet-reloader.pagePort" .) -}}
{{- if .Values.fleetReloader.access.existingSecret }}{{ .Values.fleetReloader.dashboardAddress | default $loopback }}{{ else }}{{ $loopback }}{{ end -}}
{{- end -}}

{{/* The Secrets of the process that serves the page, as JSON: volume → Secret. */}}
{{- define "fleet-reloader.accessSecrets" -}}
{{- $secrets := dict -}}
{{- if eq (.Component | default "") (ternary "dashboard" "" (eq .Values.fleetReloader.mode "hub")) -}}
{{- with .Values.fleetReloader.access.existingSecret }}{{ $_ := set $secrets "access" . }}{{ end -}}
{{- with .Values.fleetReloader.access.tlsSecret }}{{ $_ := set $secrets "page-tls" . }}{{ end -}}
{{- with .Values.fleetReloader.access.oidc }}
{{- if .issuerUrl }}{{ with .existingSecret }}{{ $_ := set $secrets "oidc" . }}{{ end }}{{ with .caSecret }}{{ $_ := set $secrets "oidc-ca" . }}{{ end }}{{ end -}}
{{- end -}}
{{- with .Values.fleetReloader.access.forwardAuth.clientCaSecret }}{{ $_ := set $secrets "proxy-ca" . }}{{ end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{/* The flags of sign-in, as JSON, for the process that serves the page. */}}
{{- define "fleet-reloader.signInArgs" -}}
{{- $args := list -}}
{{- $secrets := include "fleet-reloader.accessSecrets" . | mustFromJson -}}
{{- $oidc := .Values.fleetReloader.access.oidc -}}
{{- $servesPage := eq (.Component | default "") (ternary "dashboard" "" (eq .Values.fleetReloader.mode "hub")) -}}
{{- if and $servesPage $oidc.issuerUrl -}}
{{- range $flag, $key := dict "issuer-url" "issuerUrl" "client-id" "clientId" "redirect-url" "redirectUrl" "username-claim" "usernameClaim" "groups-claim" "groupsClaim" -}}
{{- with get $oidc $key }}{{ $args = append $args (printf "--oidc-%s=%s" $flag .) }}{{ end -}}
{{- end -}}
{{- with $oidc.scopes }}{{ $args = append $args (printf "--oidc-scopes=%s" (join "," .)) }}{{ end -}}
{{- if hasKey $secrets "oidc" }}{{ $args = append $args (printf "--oidc-client-secret-file=/etc/fleet-reloader-oidc/%s" $oidc.existingSecretKey) }}{{ end -}}
{{- if hasKey $secrets "oidc-ca" }}{{ $args = append $args (printf "--oidc-ca-file=/etc/fleet-reloader-oidc-ca/%s" $oidc.caSecretKey) }}{{ end -}}
{{- end -}}
{{- if hasKey $secrets "proxy-ca" -}}
{{- $proxy := .Values.fleetReloader.access.forwardAuth -}}
{{- $args = append $args (printf "--forward-auth-client-ca-file=/etc/fleet-reloader-proxy-ca/%s" $proxy.clientCaSecretKey) -}}
{{- with $proxy.proxyNames }}{{ $args = append $args (printf "--forward-auth-proxy-names=%s" (join "," .)) }}{{ end -}}
{{- $args = append $args (printf "--forward-auth-user-header=%s" $proxy.userHeader) -}}
{{- $args = append $args (printf "--forward-auth-groups-header=%s" $proxy.groupsHeader) -}}
{{- end -}}
{{- toJson $args -}}
{{- end -}}

{{/* Not empty when the dashboard listens for others than the pod itself. */}}
{{- define "fleet-reloader.dashboardPort" -}}
{{- $address := .Values.fleetReloader.dashboardAddress | default "127.0.0.1:0" -}}
{{- if eq .Values.fleetReloader.mode "hub" }}{{ $address = ternary (include "fleet-reloader.hubPageAddress" .) "127.0.0.1:0" (eq (.Component | default "") "dashboard") }}{{ end -}}
{{- if not (regexMatch "^(127\\.|localhost:|\\[::1\\])" $address) }}{{ include "fleet-reloader.port" $address }}{{ end -}}
{{- end -}}

{{/*
The names by which others may ask, as JSON: those of the Services before this process, as KEDA and Prometheus may call them, and the
user's own. Kubelets and monitors ask by the pod's IP address, which needs no name.
*/}}
{{- define "fleet-reloader.allowedHosts" -}}
{{- $services := list -}}
{{- if or .Values.reloader.service .Values.reloader.serviceMonitor.enabled }}{{ $services = append $services (include "fleet-reloader.fullname" .) }}{{ end -}}
{{- if or (eq (.Component | default "") "watcher") (and (eq (.Component | default "") "dashboard") (include "fleet-reloader.dashboardPort" .)) }}{{ $services = append $services (include "fleet-reloader.componentName" .) }}{{ end -}}
{{- $names := list -}}
{{- range $service := $services -}}
{{- $full := printf "%s.%s" $service (include "fleet-reloader.namespace" $) -}}
{{- $names = concat $names (list $service $full (printf "%s.svc" $full) (printf "%s.svc.cluster.local" $full)) -}}
{{- end -}}
{{- concat $names (.Values.fleetReloader.allowedHosts | default list) | uniq | toJson -}}
{{- end -}}
