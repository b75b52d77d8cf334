/**
 * Structured log, object first, constant message. Fields are names, numbers and reasons: never an object's data, never a
 * mark or hash.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}
