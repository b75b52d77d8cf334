/** On the workload: its own quiet period, as a Go duration. */
export const debounceAnnotation = "fleet-reloader.io/debounce";

/** On the workload: its own maximum wait, as a Go duration. */
export const maxWaitAnnotation = "fleet-reloader.io/max-wait";

/** On the workload: its own reload strategy, `annotations` or `env-vars`. */
export const strategyAnnotation = "fleet-reloader.io/strategy";

/** On the pod template, written by the annotations strategy: the mark of all its sources together. */
export const markAnnotation = "fleet-reloader.io/mark";
