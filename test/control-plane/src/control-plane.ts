import type { StopSignal } from "./api-server.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";

/** What a test may choose about its cluster. */
export interface ControlPlaneOptions {
  /** Whether kube-controller-manager runs too (default true); without it nothing makes pods or ends namespaces. */
  readonly controllers?: boolean;
  /**
   * Whether workloads are scaled (default false): the HPA controller runs, and the API server passes requests on to API servers that an
   * APIService names.
   */
  readonly autoscaling?: boolean;
  /** Where in etcd this cluster lives (default `/registry`). */
  readonly etcdPrefix?: string;
  /** An etcd that runs already, such as another control plane's; give each cluster in it its own prefix. */
  readonly etcdUrl?: string;
  /** Users beside the administrator (default `["limited"]`); they may do nothing until a test grants it. */
  readonly users?: readonly string[];
  /** Whether every request is written to `auditLogPath` at level Metadata (default false). */
  readonly auditLog?: boolean;
  /** Added to kube-apiserver's command line, for instance an audit webhook. */
  readonly apiServerFlags?: readonly string[];
  /** Hears of steps and of parts that end unasked (default: silent, except for a build). */
  readonly log?: (line: string) => void;
}

/** How a user of this cluster gets in. */
export interface Access {
  readonly token: string;
  readonly kubeconfigPath: string;
}

/** Process ids of the parts that run at this moment. */
export interface Pids {
  readonly etcd: number | undefined;
  readonly apiServer: number | undefined;
  readonly controllers: number | undefined;
}

/** A running cluster without nodes. Stopping it removes every process and file of it. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly etcdUrl: string;
  /** Everything it writes, its logs included; gone after `stop`. */
  readonly directory: string;
  readonly caPath: string;
  readonly caPem: string;
  /** The administrator's (group `system:masters`), context `control-plane`. */
  readonly kubeconfigPath: string;
  readonly adminToken: string;
  /** JSON lines; undefined without the option `auditLog`. */
  readonly auditLogPath: string | undefined;
  /** Access of one of the users in the options; throws for a name that is not among them. */
  readonly user: (name: string) => Access;
  /** One request, as the administrator unless it names a token. */
  readonly request: (call: ApiRequest) => Promise<ApiResponse>;
  readonly pids: () => Pids;
  /** By SIGTERM unless told to crash it; its address and certificates stay. */
  readonly stopApiServer: (signal?: StopSignal) => Promise<void>;
  /** Returns when it is ready again. */
  readonly startApiServer: () => Promise<void>;
  readonly restartApiServer: (signal?: StopSignal) => Promise<void>;
  readonly stop: () => Promise<void>;
}
