package scalers

// externalMetricType is declared by the scaler of a cloud, for all of them.
const externalMetricType = "External"
