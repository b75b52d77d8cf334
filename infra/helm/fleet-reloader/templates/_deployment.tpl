{{/* The Deployment of one process; .Component names it, and is empty where one pod does it all. */}}
{{- define "fleet-reloader.deployment" -}}
{{- $deployment := .Values.reloader.deployment }}
{{- $resources := (get (get .Values.fleetReloader.hub (.Component | default "none") | default dict) "resources") | default $deployment.resources | default (include "fleet-reloader.standardResources" . | fromYaml) }}
{{- $more := tpl (toYaml $deployment.labels) . }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "fleet-reloader.componentName" . }}
  namespace: {{ include "fleet-reloader.namespace" . }}
  labels:
    {{- include "fleet-reloader.mergedLabels" (list (include "fleet-reloader.labels" .) $more) | nindent 4 }}
  {{- with $deployment.annotations }}
  annotations:
    {{- tpl (toYaml .) $ | nindent 4 }}
  {{- end }}
spec:
  {{- with include "fleet-reloader.replicas" . }}
  replicas: {{ . }}
  {{- end }}
  revisionHistoryLimit: {{ $deployment.revisionHistoryLimit }}
  {{- $hasRedis := include "fleet-reloader.hasRedis" . }}
  {{- if or (not $hasRedis) (include "fleet-reloader.hasClaim" .) }}
  strategy:
    {{- if and (not $hasRedis) (include "fleet-reloader.hasClaim" .) }}
    # Two embedded Redis must never meet on one data dir.
    type: Recreate
    {{- else }}
    # One after the other: what changes in between is found afterwards, and a claim is for one node. Not Recreate: server-side apply
    # cannot go there from the peer's release, whose rollingUpdate nobody owns.
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 1
    {{- end }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "fleet-reloader.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- /* Last, what the selector looks for. */}}
        {{- include "fleet-reloader.mergedLabels" (list (include "fleet-reloader.podLabels" .) $more (include "fleet-reloader.selector" .)) | nindent 8 }}
      {{- with $deployment.pod.annotations }}
      annotations:
        {{- tpl (toYaml .) $ | nindent 8 }}
      {{- end }}
    spec:
      {{- with .Values.fleetReloader.terminationGracePeriodSeconds }}
      terminationGracePeriodSeconds: {{ . }}
      {{- end }}
      serviceAccountName: {{ include "fleet-reloader.serviceAccountName" . }}
      {{- if kindIs "bool" $deployment.automountServiceAccountToken }}
      automountServiceAccountToken: {{ $deployment.automountServiceAccountToken }}
      {{- end }}
      # Variables of the namespace's Services could be taken for ours.
      enableServiceLinks: false
      {{- if kindIs "bool" $deployment.hostUsers }}
      hostUsers: {{ $deployment.hostUsers }}
      {{- end }}
      {{- with include "fleet-reloader.pullSecrets" (list .Values.global.imagePullSecrets $deployment.imagePullSecrets) }}
      imagePullSecrets:
        {{- trim . | nindent 8 }}
      {{- end }}
      {{- with include "fleet-reloader.podSecurityContext" (list $deployment.securityContext 65534) }}
      securityContext:
        {{- . | nindent 8 }}
      {{- end }}
      {{- with $deployment.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $deployment.affinity }}
      affinity:
        {{- toYaml $deployment.affinity | nindent 8 }}
      {{- else if or (eq (.Component | default "") "worker") (gt (int (include "fleet-reloader.replicas" .)) 1) }}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- include "fleet-reloader.selector" . | nindent 20 }}
      {{- end }}
      {{- with $deployment.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $deployment.topologySpreadConstraints }}
      topologySpreadConstraints:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $deployment.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $deployment.runtimeClassName }}
      runtimeClassName: {{ . }}
      {{- end }}
      {{- with $deployment.schedulerName }}
      schedulerName: {{ . }}
      {{- end }}
      {{- with $deployment.dnsConfig }}
      dnsConfig:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ include "fleet-reloader.componentName" . }}
          image: {{ include "fleet-reloader.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          {{- /* Half of the container's memory: V8 feels its limit before the kernel kills. The rest is for buffers, the program and Redis. */}}
          {{- with .Values.fleetReloader.maxHeapMiB | default (include "fleet-reloader.shareOfMemory" (list $resources 50)) }}
          # The image's own entrypoint with another heap limit.
          command: [/usr/bin/node, --min-semi-space-size=4, --max-semi-space-size=16, "--max-old-space-size={{ . }}", /app/main.mjs]
          {{- end }}
          args:
            {{- include "fleet-reloader.args" . | trim | nindent 12 }}
          env:
            {{- include "fleet-reloader.env" . | trim | nindent 12 }}
          ports:
            - name: http
              containerPort: {{ include "fleet-reloader.port" .Values.fleetReloader.listenAddress }}
            {{- with include "fleet-reloader.dashboardPort" . }}
            - name: dashboard
              containerPort: {{ . }}
            {{- end }}
            {{- with include "fleet-reloader.scalerPort" . }}
            - name: grpc-scaler
              containerPort: {{ . }}
            {{- end }}
            {{- with include "fleet-reloader.auditPort" . }}
            - name: https-audit
              containerPort: {{ . }}
            {{- end }}
          livenessProbe:
            httpGet:
              path: /live
              port: http
            {{- include "fleet-reloader.probeTimes" (list $deployment.livenessProbe 10) | nindent 12 }}
          readinessProbe:
            httpGet:
              path: /ready
              port: http
            {{- include "fleet-reloader.probeTimes" (list $deployment.readinessProbe 2) | nindent 12 }}
          securityContext:
            {{- include "fleet-reloader.containerSecurityContext" . | nindent 12 }}
          {{- with $resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          volumeMounts:
            - name: data
              mountPath: /var/lib/fleet-reloader
            {{- if .Values.reloader.readOnlyRootFileSystem }}
            - name: tmp-volume
              mountPath: /tmp/
            {{- end }}
            {{- if include "fleet-reloader.mountedMarkKey" . }}
            - name: mark-key
              mountPath: /etc/fleet-reloader
              readOnly: true
            {{- end }}
            {{- if .Values.fleetReloader.redis.caSecret }}
            - name: redis-ca
              mountPath: /etc/fleet-reloader-redis
              readOnly: true
            {{- end }}
            {{- if include "fleet-reloader.scalerSecret" . }}
            - name: scaler-tls
              mountPath: /etc/fleet-reloader-scaler
              readOnly: true
            {{- end }}
            {{- range $volume, $secret := include "fleet-reloader.accessSecrets" . | mustFromJson }}
            - name: {{ $volume }}
              mountPath: /etc/fleet-reloader-{{ $volume }}
              readOnly: true
            {{- end }}
            {{- range $volume, $secret := include "fleet-reloader.auditSecrets" . | mustFromJson }}
            - name: {{ $volume }}
              mountPath: /etc/fleet-reloader-{{ $volume }}
              readOnly: true
            {{- end }}
            {{- range .Values.fleetReloader.clusters.kubeconfigSecrets }}
            - name: clusters-{{ . }}
              mountPath: /etc/fleet-reloader-clusters/{{ . }}
              readOnly: true
            {{- end }}
            {{- with $deployment.volumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: data
          {{- if include "fleet-reloader.hasClaim" . }}
          persistentVolumeClaim:
            claimName: {{ .Values.fleetReloader.persistence.existingClaim | default (include "fleet-reloader.fullname" .) }}
          {{- else }}
          emptyDir: {}
          {{- end }}
        {{- if .Values.reloader.readOnlyRootFileSystem }}
        - name: tmp-volume
          emptyDir: {}
        {{- end }}
        {{- with include "fleet-reloader.mountedMarkKey" . }}
        - name: mark-key
          secret:
            secretName: {{ . }}
            # 0440, for the group of fsGroup.
            defaultMode: 288
        {{- end }}
        {{- with .Values.fleetReloader.redis.caSecret }}
        - name: redis-ca
          secret:
            secretName: {{ . }}
            defaultMode: 288
        {{- end }}
        {{- with include "fleet-reloader.scalerSecret" . }}
        - name: scaler-tls
          secret:
            secretName: {{ . }}
            defaultMode: 288
        {{- end }}
        {{- range $volume, $secret := include "fleet-reloader.accessSecrets" . | mustFromJson }}
        - name: {{ $volume }}
          secret:
            secretName: {{ $secret }}
            defaultMode: 288
        {{- end }}
        {{- range $volume, $secret := include "fleet-reloader.auditSecrets" . | mustFromJson }}
        - name: {{ $volume }}
          secret:
            secretName: {{ $secret }}
            defaultMode: 288
        {{- end }}
        {{- range .Values.fleetReloader.clusters.kubeconfigSecrets }}
        - name: clusters-{{ . }}
          secret:
            secretName: {{ . }}
            # One that is missing holds up no other: its clusters are there when it is.
            optional: true
            defaultMode: 288
        {{- end }}
        {{- with $deployment.volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}
