import { inline, list, map, message, nested } from "./message-rules.ts";

const empty = message({});

export const localReference = message({ 1: ["name", "string"] });
const sourceReference = message({ 1: ["", inline(() => localReference)], 2: ["optional", "flag"] });
const keyReference = message({
  1: ["", inline(() => localReference)],
  2: ["key", "string"],
  3: ["optional", "flag"],
});

const variableSource = message({
  1: ["fieldRef", nested(() => message({ 1: ["apiVersion", "string"], 2: ["fieldPath", "string"] }))],
  3: ["configMapKeyRef", nested(() => keyReference)],
  4: ["secretKeyRef", nested(() => keyReference)],
});

const variable = message({
  1: ["name", "string"],
  2: ["value", "string"],
  3: ["valueFrom", nested(() => variableSource)],
});

const variables = message({
  1: ["prefix", "string"],
  2: ["configMapRef", nested(() => sourceReference)],
  3: ["secretRef", nested(() => sourceReference)],
});

const port = message({
  1: ["name", "string"],
  2: ["hostPort", "int0"],
  3: ["containerPort", "int"],
  4: ["protocol", "string"],
  5: ["hostIP", "string"],
});

const mount = message({
  1: ["name", "string"],
  2: ["readOnly", "flag0"],
  3: ["mountPath", "string"],
  4: ["subPath", "string"],
  6: ["subPathExpr", "string"],
});

const resources = message({ 1: ["limits", map("quantity")], 2: ["requests", map("quantity")] });

const container = message({
  1: ["name", "string"],
  2: ["image", "string"],
  3: ["command", list("string")],
  4: ["args", list("string")],
  5: ["workingDir", "string"],
  6: ["ports", list(nested(() => port))],
  7: ["env", list(nested(() => variable))],
  8: ["resources", nested(() => resources)],
  9: ["volumeMounts", list(nested(() => mount))],
  13: ["terminationMessagePath", "string"],
  14: ["imagePullPolicy", "string"],
  16: ["stdin", "flag0"],
  17: ["stdinOnce", "flag0"],
  18: ["tty", "flag0"],
  19: ["envFrom", list(nested(() => variables))],
  20: ["terminationMessagePolicy", "string"],
});

const item = message({ 1: ["key", "string"], 2: ["path", "string"], 3: ["mode", "int"] });

const volumeSource = message({
  2: ["emptyDir", nested(() => empty)],
  6: [
    "secret",
    nested(() =>
      message({
        1: ["secretName", "string"],
        2: ["items", list(nested(() => item))],
        3: ["defaultMode", "int"],
        4: ["optional", "flag"],
      }),
    ),
  ],
  19: [
    "configMap",
    nested(() =>
      message({
        1: ["", inline(() => localReference)],
        2: ["items", list(nested(() => item))],
        3: ["defaultMode", "int"],
        4: ["optional", "flag"],
      }),
    ),
  ],
});

const volume = message({ 1: ["name", "string"], 2: ["", inline(() => volumeSource)] });

/** A pod, as a template has it. */
export const podSpec = message({
  1: ["volumes", list(nested(() => volume))],
  2: ["containers", list(nested(() => container))],
  3: ["restartPolicy", "string"],
  4: ["terminationGracePeriodSeconds", "int"],
  6: ["dnsPolicy", "string"],
  7: ["nodeSelector", map("string")],
  8: ["serviceAccountName", "string"],
  9: ["serviceAccount", "string"],
  10: ["nodeName", "string"],
  11: ["hostNetwork", "flag0"],
  12: ["hostPID", "flag0"],
  13: ["hostIPC", "flag0"],
  14: ["securityContext", nested(() => empty)],
  15: ["imagePullSecrets", list(nested(() => localReference))],
  16: ["hostname", "string"],
  17: ["subdomain", "string"],
  19: ["schedulerName", "string"],
  20: ["initContainers", list(nested(() => container))],
  24: ["priorityClassName", "string"],
});
