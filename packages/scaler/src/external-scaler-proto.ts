import { create, type Message, toBinary } from "@bufbuild/protobuf";
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { base64Encode } from "@bufbuild/protobuf/wire";
import {
  type FieldDescriptorProto,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

/*
 * KEDA's externalscaler.proto (2.21), written by hand: it is so small that a compiler for it would be the larger part. The order of the
 * messages, and the numbers and types of their fields, are what goes over the wire.
 */

interface ProtoField extends Pick<FieldDescriptorProto, "name" | "number" | "type"> {
  readonly typeName?: string;
  readonly label?: Label;
}

const packageName = "externalscaler";
const typeNameOf = (message: string): string => `.${packageName}.${message}`;

const textField = (name: string, number: number): ProtoField => ({ name, number, type: Type.STRING });
const wholeField = (name: string, number: number): ProtoField => ({ name, number, type: Type.INT64 });
const realField = (name: string, number: number): ProtoField => ({ name, number, type: Type.DOUBLE });
const flagField = (name: string, number: number): ProtoField => ({ name, number, type: Type.BOOL });
const messageField = (name: string, number: number, message: string): ProtoField => ({
  name,
  number,
  type: Type.MESSAGE,
  typeName: typeNameOf(message),
});
const listField = (name: string, number: number, message: string): ProtoField => ({
  name,
  number,
  type: Type.MESSAGE,
  typeName: typeNameOf(message),
  label: Label.REPEATED,
});

const metadataEntry = "ScalerMetadataEntry";

const protoMessages: readonly (readonly [name: string, fields: readonly ProtoField[]])[] = [
  [
    "ScaledObjectRef",
    [
      textField("name", 1),
      textField("namespace", 2),
      listField("scalerMetadata", 3, `ScaledObjectRef.${metadataEntry}`),
    ],
  ],
  ["IsActiveResponse", [flagField("result", 1)]],
  ["GetMetricSpecResponse", [listField("metricSpecs", 1, "MetricSpec")]],
  ["MetricSpec", [textField("metricName", 1), wholeField("targetSize", 2), realField("targetSizeFloat", 3)]],
  ["GetMetricsRequest", [messageField("scaledObjectRef", 1, "ScaledObjectRef"), textField("metricName", 2)]],
  ["GetMetricsResponse", [listField("metricValues", 1, "MetricValue")]],
  [
    "MetricValue",
    [textField("metricName", 1), wholeField("metricValue", 2), realField("metricValueFloat", 3)],
  ],
];

const protoMethods: readonly {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly serverStreaming: boolean;
}[] = [
  { name: "IsActive", input: "ScaledObjectRef", output: "IsActiveResponse", serverStreaming: false },
  { name: "StreamIsActive", input: "ScaledObjectRef", output: "IsActiveResponse", serverStreaming: true },
  {
    name: "GetMetricSpec",
    input: "ScaledObjectRef",
    output: "GetMetricSpecResponse",
    serverStreaming: false,
  },
  { name: "GetMetrics", input: "GetMetricsRequest", output: "GetMetricsResponse", serverStreaming: false },
  {
    name: "StreamMetricSpec",
    input: "ScaledObjectRef",
    output: "GetMetricSpecResponse",
    serverStreaming: true,
  },
];

const file = fileDesc(
  base64Encode(
    toBinary(
      FileDescriptorProtoSchema,
      create(FileDescriptorProtoSchema, {
        name: "externalscaler.proto",
        package: packageName,
        syntax: "proto3",
        messageType: protoMessages.map(([name, fields]) => ({
          name,
          field: fields.map(fieldOf),
          nestedType: name === "ScaledObjectRef" ? [mapEntry()] : [],
        })),
        service: [
          {
            name: "ExternalScaler",
            method: protoMethods.map(({ name, input, output, serverStreaming }) => ({
              name,
              inputType: typeNameOf(input),
              outputType: typeNameOf(output),
              serverStreaming,
            })),
          },
        ],
      }),
    ),
  ),
);

function fieldOf({ name, number, type, typeName = "", label = Label.OPTIONAL }: ProtoField) {
  return { name, jsonName: name, number, type, typeName, label };
}

/** A map of texts on the wire: a list of entries. */
function mapEntry() {
  return {
    name: metadataEntry,
    field: [textField("key", 1), textField("value", 2)].map(fieldOf),
    options: { mapEntry: true },
  };
}

/** The ScaledObject of KEDA's request, with the trigger's metadata as written there. */
export type ScaledObjectRef = Message<"externalscaler.ScaledObjectRef"> & {
  name: string;
  namespace: string;
  scalerMetadata: Record<string, string>;
};
export const ScaledObjectRefSchema = messageDesc<ScaledObjectRef>(file, 0);

type IsActiveResponse = Message<"externalscaler.IsActiveResponse"> & { result: boolean };
const IsActiveResponseSchema = messageDesc<IsActiveResponse>(file, 1);

type GetMetricSpecResponse = Message<"externalscaler.GetMetricSpecResponse"> & { metricSpecs: MetricSpec[] };
const GetMetricSpecResponseSchema = messageDesc<GetMetricSpecResponse>(file, 2);

/** KEDA uses the float, or the whole number if the float is 0. */
type MetricSpec = Message<"externalscaler.MetricSpec"> & {
  metricName: string;
  targetSize: bigint;
  targetSizeFloat: number;
};

type GetMetricsRequest = Message<"externalscaler.GetMetricsRequest"> & {
  scaledObjectRef?: ScaledObjectRef;
  metricName: string;
};
const GetMetricsRequestSchema = messageDesc<GetMetricsRequest>(file, 4);

type GetMetricsResponse = Message<"externalscaler.GetMetricsResponse"> & { metricValues: MetricValue[] };
const GetMetricsResponseSchema = messageDesc<GetMetricsResponse>(file, 5);

/** KEDA uses the float, or the whole number if the float is 0. */
type MetricValue = Message<"externalscaler.MetricValue"> & {
  metricName: string;
  metricValue: bigint;
  metricValueFloat: number;
};

/** The service that KEDA's triggers `external` and `external-push` call. */
export const ExternalScaler = serviceDesc<{
  isActive: {
    methodKind: "unary";
    input: typeof ScaledObjectRefSchema;
    output: typeof IsActiveResponseSchema;
  };
  streamIsActive: {
    methodKind: "server_streaming";
    input: typeof ScaledObjectRefSchema;
    output: typeof IsActiveResponseSchema;
  };
  getMetricSpec: {
    methodKind: "unary";
    input: typeof ScaledObjectRefSchema;
    output: typeof GetMetricSpecResponseSchema;
  };
  getMetrics: {
    methodKind: "unary";
    input: typeof GetMetricsRequestSchema;
    output: typeof GetMetricsResponseSchema;
  };
  streamMetricSpec: {
    methodKind: "server_streaming";
    input: typeof ScaledObjectRefSchema;
    output: typeof GetMetricSpecResponseSchema;
  };
}>(file, 0);
